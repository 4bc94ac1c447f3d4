import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { counted, countingWork, MAX_WORK_MS } from '@chairside/concurrency';
import { Refusal } from '@chairside/domain';
import { closedSignal } from '@chairside/http-server';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { listAdmission } from './admission.ts';
import { pagesOf } from './pages.ts';
import { sendChunks, sendList } from './streamed-list.ts';

const metrics = { streams: () => {}, readsWaiting: () => {} };
let app: FastifyInstance;
/** Whether the caller may still read. */
let isAllowed: boolean;
beforeEach(() => {
  isAllowed = true;
  app = Fastify({ forceCloseConnections: true });
  listAdmission(app, metrics);
  app.decorateRequest('authorizeAgain', async () => {
    if (!isAllowed) throw new Refusal('Unauthorized', 'The key was deleted.');
  });
  app.decorateRequest('endTurn', () => {});
  app.addHook('onRequest', async (request) => {
    const all = { clinicIds: undefined, endTime: undefined };
    request.principal = { kind: 'apiKey', id: 'k', organizationId: 'o', scopes: [], ...all, rateLimit: 1 };
  });
});
afterEach(() => app.close());

const ask = async () => {
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as { port: number };
  return request({ host: '127.0.0.1', port, path: '/list', agent: false });
};

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
  const serverSide = Promise.withResolvers<void>();
  app.get('/list', (_request, reply) => {
    reply.raw.once('close', () => serverSide.resolve());
    return sendList(reply, { rows: rows(), stringify: JSON.stringify, release: async () => {} });
  });
  const call = await ask();
  call.on('error', () => {});
  call.end();
  await reading.promise;
  call.destroy();
  await serverSide.promise;
  mayContinue.resolve();
  expect(await ended.promise).toBe('closed');
});

test('the signal of a caller is aborted when it disconnects before the response', async () => {
  const signals = Promise.withResolvers<AbortSignal>();
  const mayContinue = Promise.withResolvers<string>();
  app.get('/list', (_request, reply) => {
    signals.resolve(closedSignal(reply.raw));
    return mayContinue.promise;
  });
  const call = await ask();
  call.on('error', () => {});
  call.end();
  const signal = await signals.promise;
  expect(signal.aborted).toBe(false);
  const aborted = once(signal, 'abort');
  call.destroy();
  await aborted;
  mayContinue.resolve('');
});

/** 64 MiB, which is more than the connection takes from the server before its reader has read. */
async function* manyRows() {
  for (let row = 0; row < 64; row++) yield { _id: `${row}`, text: 'x'.repeat(1_048_576) };
}
const sendPage = pagesOf({} as never);

test('a page ends when the process has computed enough for it, and its cursor leads to the next row', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  app.addHook('onRequest', (_request, _reply, done) => countingWork({ ms: 0 }, done));
  const secrets = { encrypt: (text: string) => text, decrypt: (text: string) => text };
  const stringify = (row: object) =>
    counted(() => {
      vi.advanceTimersByTime(MAX_WORK_MS / 2);
      return JSON.stringify(row);
    });
  const read = async function* ([after = '-1']: readonly (string | null)[] = []) {
    for (let row = Number(after) + 1; row < 5; row++) yield { _id: `${row}` };
  };
  app.get<{ Querystring: { cursor?: string } }>('/list', (request, reply) =>
    pagesOf(secrets as never)<{ _id: string }>(reply, {
      list: '/list',
      request,
      filter: {},
      limit: 100,
      cursor: request.query.cursor,
      read,
      positionOf: ({ _id }) => [_id],
      stringify,
    }),
  );
  const pages: string[] = [];
  for (let url = '/list'; url !== ''; ) {
    const { body, headers } = await app.inject(url);
    pages.push(body);
    url = /<(.*)>/.exec(String(headers.link))?.[1] ?? '';
  }
  expect(pages).toEqual(['[{"_id":"0"},{"_id":"1"}]', '[{"_id":"2"},{"_id":"3"}]', '[{"_id":"4"}]']);
});

test.each([
  [
    'list',
    (reply: Parameters<typeof sendList>[0]) =>
      sendList(reply, { rows: manyRows(), stringify: JSON.stringify, release: async () => {} }),
  ],
  [
    'page',
    (reply: Parameters<typeof sendList>[0]) =>
      sendPage(reply, {
        list: '/list',
        request: reply.request,
        filter: {},
        limit: 100,
        maxBytes: 2 ** 27,
        read: manyRows,
        positionOf: ({ _id }) => [_id],
        stringify: JSON.stringify,
      }),
  ],
])('a caller that loses its access while it reads a %s receives no more of it', async (_name, send) => {
  app.get('/list', (_request, reply) => send(reply));
  const call = (await ask()).end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  await once(response, 'readable');
  isAllowed = false;
  await expect(text(response)).rejects.toThrow('aborted');
});

test('the first chunk of a stream is made in one turn, and each later one in a turn of its own', async () => {
  const turns: string[] = [];
  const turn =
    (name: string) =>
    <R>(work: () => Promise<R>): Promise<R> => {
      turns.push(name);
      return work();
    };
  async function* chunks() {
    for (const text of ['[1', ',2']) yield Buffer.from(text);
    return Buffer.from(',3]');
  }
  app.get('/list', (_request, reply) => sendChunks(reply, chunks(), turn('first'), turn('next')));
  expect((await app.inject('/list')).json()).toEqual([1, 2, 3]);
  expect(turns).toEqual(['first', 'next', 'next']);
});
