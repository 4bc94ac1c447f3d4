import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SpanAttributes, Tracer } from '@chairside/telemetry';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { requestSpans } from './request-spans.ts';

/** An app whose route waits until `respond` resolves, and the spans that have ended. */
const openApp = async () => {
  const ended: { attributes: SpanAttributes; failure: string | undefined }[] = [];
  const tracer: Tracer = {
    start: (_name, _kind, given) => {
      const span = { attributes: given };
      return {
        traceId: 'trace',
        set: (attributes) => Object.assign(span, { attributes: { ...span.attributes, ...attributes } }),
        within: (work) => work(),
        end: (failure) => void ended.push({ ...span, failure }),
      };
    },
    startPart: () => undefined,
  };
  const app = Fastify();
  requestSpans(app, tracer, () => ({ more: 'yes' }));
  const arrived = Promise.withResolvers<void>();
  const respond = Promise.withResolvers<void>();
  app.get('/', async () => {
    arrived.resolve();
    await respond.promise;
    return 'text';
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, ended, arrived: arrived.promise, respond: respond.resolve };
};

test('the span of a complete response ends once, with its status', async () => {
  const { url, ended, respond } = await openApp();
  respond();
  await (await fetch(url)).text();
  await expect.poll(() => ended.length).toBe(1);
  expect(ended).toEqual([
    {
      attributes: expect.objectContaining({
        'http.route': '/',
        'http.response.status_code': 200,
        more: 'yes',
      }),
      failure: undefined,
    },
  ]);
});

test('the span of a request whose caller disconnects ends, too', async () => {
  const { url, ended, arrived, respond } = await openApp();
  const asking = request(url).end();
  asking.on('error', () => {});
  await arrived;
  asking.destroy();
  await expect.poll(() => ended.length).toBe(1);
  expect(ended).toEqual([
    { attributes: expect.objectContaining({ 'http.route': '/', more: 'yes' }), failure: 'aborted' },
  ]);
  respond();
});
