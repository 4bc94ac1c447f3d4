import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import type { Refusal } from '@chairside/domain';
import type { Secrets } from '@chairside/mongodb';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { beforeEach, expect, test } from 'vitest';
import { listAdmission } from './admission.ts';
import { pagesOf } from './pages.ts';
import { sendList } from './streamed-list.ts';

let app: FastifyInstance;
beforeEach(() => {
  app = Fastify();
  listAdmission(app, { streams: () => {}, readsWaiting: () => {} });
});

/** The fields of a reply that lists and their admission read. */
const replyTo = (organizationId: string, id = 'key') => {
  const principal = { kind: 'apiKey', id, organizationId };
  const request = { method: 'GET', principal, authorizeAgain: async () => {}, endTurn() {} };
  return { server: app, request, raw: new PassThrough() } as Pick<FastifyReply, never> as FastifyReply;
};

/** Opens streams. Returns the limit that refuses one of them. */
const open = (organization: string, key: string, count: number): string | undefined => {
  try {
    for (let index = 0; index < count; index++) app.listAdmission.openStream(replyTo(organization, key));
    return undefined;
  } catch (error) {
    return (error as Refusal).limit;
  }
};

test('four streams of a key, eight of an organization and sixteen in all may be open', async () => {
  expect(open('a', 'a1', 5)).toBe('streams_of_principal');
  expect(open('a', 'a2', 4)).toBeUndefined();
  expect(open('a', 'a3', 1)).toBe('streams_of_organization');
  expect([open('b', 'b1', 4), open('b', 'b2', 3)]).toEqual([undefined, undefined]);
  const last = replyTo('c');
  app.listAdmission.openStream(last);
  expect(open('c', 'c1', 1)).toBe('streams');
  last.raw.destroy();
  await expect(finished(last.raw)).rejects.toThrow();
  expect(open('c', 'c1', 1)).toBeUndefined();
});

/** The organizations whose lists are being read, and what ends these reads. */
let reading: { organization: string; end: () => void }[];
let results: Promise<unknown>[];
/** Reads lists, and resolves when they are being read, wait for it, or are refused. */
const read = async (organization: string, count: number): Promise<void> => {
  for (let index = 0; index < count; index++) {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const work = () => {
      reading.push({ organization, end });
      return promise;
    };
    results.push(
      app.listAdmission
        .inTurn(replyTo(organization), work)
        .catch((error: unknown) => `${(error as Refusal).name} ${(error as Refusal).limit}`),
    );
  }
  await setImmediate();
};
const endAll = async (): Promise<unknown[]> => {
  while (reading.length > 0) {
    for (const { end } of reading.splice(0)) end();
    await setImmediate();
  }
  return Promise.all(results);
};
const readsOf = (name: string): number => reading.filter(({ organization }) => organization === name).length;
beforeEach(() => {
  [reading, results] = [[], []];
});

/** Lets organizations read all the lists that may be read at once. */
const readAll = async (): Promise<void> => {
  for (const name of ['one', 'two', 'three', 'four']) await read(name, 2);
};

test('two lists of an organization and eight in all are read at once, and organizations take turns', async () => {
  await read('greedy', 20);
  expect(readsOf('greedy')).toBe(2);
  for (const name of ['one', 'two', 'three']) await read(name, 2);
  await read('neighbour', 1);
  expect([readsOf('three'), reading.length]).toEqual([2, 8]);
  // One turn each for the greedy organization and the neighbour.
  for (const { end } of reading.splice(0, 2)) end();
  await setImmediate();
  expect(readsOf('neighbour')).toBe(1);
  await endAll();
});

test('refuses a list of the organization with the most waiting when 200 wait', async () => {
  await read('greedy', 2 + 200 + 1);
  await read('neighbour', 1);
  expect(readsOf('neighbour')).toBe(1);
  expect((await endAll()).filter((limit) => limit !== undefined)).toEqual(['TooManyRequests reads_waiting']);
});

type Row = { _id: string; text: string };
test.each([
  [
    'list',
    (reply: FastifyReply, rows: AsyncIterable<Row>) =>
      sendList(reply, { rows, stringify: JSON.stringify, release: async () => {} }),
  ],
  [
    'page',
    (reply: FastifyReply, rows: AsyncIterable<Row>) =>
      pagesOf({} as Secrets)(reply, {
        list: 'rows',
        request: reply.request,
        filter: {},
        limit: 10,
        read: () => rows,
        positionOf: ({ _id }) => [_id],
        stringify: JSON.stringify,
      }),
  ],
])('a %s waits for its turn to read, and counts as a stream if it is long', async (_what, send) => {
  expect(open('a', 'a1', 4)).toBeUndefined();
  await readAll();
  let isRead = false;
  async function* rows() {
    isRead = true;
    for (;;) yield { _id: 'x', text: 'x'.repeat(200_000) };
  }
  const refusal = send(replyTo('a', 'a1'), rows()).catch((error: unknown) => (error as Refusal).limit);
  await setImmediate();
  expect(isRead).toBe(false);
  await endAll();
  expect(await refusal).toBe('streams_of_principal');
});
