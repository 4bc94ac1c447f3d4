import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createPractice, openTestStore, startProcess, testEngines } from '@chairside/test-support';
import { expect, test } from 'vitest';
import { startAuthorizationServer } from './authorization-server.ts';
import { ISSUER, MCP_URL } from './connector.ts';
import { CANARY, plantSchedule } from './practice-schedule.ts';

type CollectedSpan = {
  name: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Record<string, unknown>;
};

/** Receives spans as JSON over HTTP. `received` contains the bodies of the requests. */
const startCollector = async () => {
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    received.push(await text(request));
    response.setHeader('content-type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const spans = (): CollectedSpan[] =>
    received
      .flatMap((each) => JSON.parse(each).resourceSpans)
      .flatMap(({ scopeSpans }: any) => scopeSpans.flatMap((scope: any) => scope.spans))
      .map(({ attributes, ...span }) => ({
        ...span,
        attributes: Object.fromEntries(
          attributes.map(({ key, value }: any) => [key, value.stringValue ?? Number(value.intValue)]),
        ),
      }));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, received, spans, close: () => server.close() };
};

test('traces a call of a tool with its introspection and its reads, without a value', async () => {
  const collector = await startCollector();
  const authorization = await startAuthorizationServer(MCP_URL, ISSUER);
  const store = await openTestStore();
  const practice = await createPractice(store.store);
  const { clinicId } = await plantSchedule(store, practice);
  const connector = startProcess('mcp', {
    PORT: '0',
    METRICS_PORT: '0',
    MCP_URL,
    AUTHORIZATION_SERVER_URL: ISSUER,
    INTROSPECTION_URL: authorization.introspectionUrl,
    INTROSPECTION_SECRET: authorization.secret,
    MONGODB_URL: store.url,
    REDIS_URL: testEngines().redisUrl,
    REDIS_PREFIX: store.redisPrefix,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '3600000',
  });
  const { msg } = await connector.logged(({ msg: line }) => /listening at/.test(line));
  await connector.logged(({ msg: line }) => line === 'ready');
  const { organizationId } = practice;
  const token = authorization.issue({ organization_id: organizationId, grant_id: 'grant' });
  const response = await fetch(`${msg.slice(msg.indexOf('http://'))}/mcp?${CANARY}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_procedures', arguments: { clinicId, query: CANARY } },
    }),
  });
  expect(response.status).toBe(200);
  expect(await connector.end('SIGTERM')).toBe(0);

  const spans = collector.spans();
  const request = spans.find(({ name }) => name === 'POST /mcp');
  expect(request?.attributes).toMatchObject({
    'http.route': '/mcp',
    'http.response.status_code': 200,
    'chairside.request_id': response.headers.get('x-request-id'),
    'chairside.organization_id': organizationId,
    'chairside.grant_id': 'grant',
    'chairside.tool': 'list_procedures',
    'chairside.outcome': 'answered',
  });
  const parts = spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId).map(({ name }) => name);
  expect(parts).toEqual(expect.arrayContaining(['introspect', 'find procedures', 'find clinics']));
  for (const secret of [CANARY, clinicId, token]) expect(collector.received.join()).not.toContain(secret);
  await store.close();
  await authorization.close();
  collector.close();
});
