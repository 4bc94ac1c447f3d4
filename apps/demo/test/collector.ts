import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number };
type Attributes = { key: string; value: Value }[];
type RawSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attributes;
};
type Body = {
  resourceSpans: { resource: { attributes: Attributes }; scopeSpans: { spans: RawSpan[] }[] }[];
};

export type CollectedSpan = Omit<RawSpan, 'attributes'> & {
  service: unknown;
  attributes: Record<string, string | number | undefined>;
};

const toRecord = (attributes: Attributes): CollectedSpan['attributes'] =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? (value.intValue === undefined ? value.doubleValue : Number(value.intValue)),
    ]),
  );

/** An OpenTelemetry collector on loopback, for OTLP over HTTP with JSON. */
export const startCollector = async () => {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    bodies.push(`${request.url} ${JSON.stringify(request.headers)} ${text}`);
    for (const { resource, scopeSpans } of (JSON.parse(text) as Body).resourceSpans) {
      const { 'service.name': service } = toRecord(resource.attributes);
      for (const { attributes, ...span } of scopeSpans.flatMap((scope) => scope.spans)) {
        spans.push({ ...span, service, attributes: toRecord(attributes) });
      }
    }
    response.setHeader('content-type', 'application/json').end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    /** The URL, the headers and the body of each request, as text. */
    bodies,
    close: () => void server.close(),
  };
};
