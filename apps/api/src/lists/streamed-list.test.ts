import { request } from 'node:http';
import Fastify from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { listAdmission } from './admission.ts';
import { sendList } from './streamed-list.ts';

const metrics = { streams: () => {}, readsWaiting: () => {} };
const app = Fastify({ forceCloseConnections: true });
afterEach(() => app.close());

test('stops reading the list if the caller disconnects while the first rows are read', async () => {
  const reading = Promise.withResolvers<void>();
  const mayContinue = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<string>();
  async function* rows() {
    try {
      reading.resolve();
      await mayContinue.promise;
      for (;;) yield { _id: 'x', text: 'x'.repeat(100_000) };
    } finally {
      ended.resolve('closed');
    }
  }
  listAdmission(app, metrics);
  app.decorateRequest('authorizeAgain', async () => {});
  app.decorateRequest('endTurn', () => {});
  app.addHook('onRequest', async (request) => {
    request.principal = { kind: 'apiKey', id: 'k', organizationId: 'o', scopes: [], rateLimit: 1 };
  });
  const serverSide = Promise.withResolvers<void>();
  app.get('/list', (_request, reply) => {
    reply.raw.once('close', () => serverSide.resolve());
    return sendList(reply, { rows: rows(), stringify: JSON.stringify, release: async () => {} });
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as { port: number };
  const call = request({ host: '127.0.0.1', port, path: '/list', agent: false });
  call.on('error', () => {});
  call.end();
  await reading.promise;
  call.destroy();
  await serverSide.promise;
  mayContinue.resolve();
  expect(await ended.promise).toBe('closed');
});
