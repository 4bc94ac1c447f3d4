import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Refusal } from '@chairside/domain';
import type { Limit } from '@chairside/queue';
import type { FastifyReply } from 'fastify';
import { expect, test } from 'vitest';
import { openExportTurns } from './export-turns.ts';

/** The fields of a reply that the turns read. */
const replyTo = (organizationId: string, authorizeAgain = async () => {}) => {
  const request = { principal: { organizationId }, authorizeAgain, endTurn() {} };
  return { request, raw: new PassThrough() } as Pick<FastifyReply, never> as FastifyReply;
};
const open = () => {
  const calls = new Map<string, number>();
  const take = async (key: string, limit: Limit) => {
    calls.set(key, (calls.get(key) ?? 0) + 1);
    const remaining = limit.calls - (calls.get(key) ?? 0);
    return { isAllowed: remaining >= 0, remaining, resetSeconds: 7 };
  };
  return openExportTurns({ take });
};
const refusalOf = async (begun: Promise<void>): Promise<string | undefined> =>
  begun.then(
    () => undefined,
    (error: Refusal) => `${error.name} ${error.limit}`,
  );

test('two exports of an organization and eight in all are open, each until its response has ended', async () => {
  const turns = open();
  const first = replyTo('a');
  await turns.begin(first);
  await turns.begin(replyTo('a'));
  expect(await refusalOf(turns.begin(replyTo('a')))).toBe('TooManyRequests exports_of_organization');
  for (const name of ['b', 'b', 'c', 'c', 'd', 'd']) await turns.begin(replyTo(name));
  expect(await refusalOf(turns.begin(replyTo('e')))).toBe('ServiceUnavailable exports');
  first.raw.destroy();
  await setImmediate();
  expect(await refusalOf(turns.begin(replyTo('e')))).toBeUndefined();
});

test('an organization begins 60 exports in an hour', async () => {
  const turns = open();
  const begin = async (name: string) => {
    const reply = replyTo(name);
    const refusal = await refusalOf(turns.begin(reply));
    reply.raw.destroy();
    await setImmediate();
    return refusal;
  };
  for (let count = 0; count < 60; count++) expect(await begin('a')).toBeUndefined();
  expect(await begin('a')).toBe('TooManyRequests exports_begun');
  expect(await begin('b')).toBeUndefined();
});

test('one part is read at a time, and organizations take turns', async () => {
  const turns = open();
  const [greedy, other, neighbour] = [replyTo('greedy'), replyTo('greedy'), replyTo('neighbour')];
  const order: string[] = [];
  let reading = 0;
  const readParts = async (name: string, reply: FastifyReply) => {
    for (let part = 1; part <= 3; part++)
      await turns.read(reply, async () => {
        expect(++reading).toBe(1);
        order.push(name);
        await setImmediate();
        reading--;
      });
  };
  await Promise.all([
    readParts('greedy', greedy),
    readParts('other', other),
    readParts('neighbour', neighbour),
  ]);
  expect(order.slice(0, 4)).toEqual(['greedy', 'other', 'neighbour', 'greedy']);
  expect(order).toHaveLength(9);
});

test('a part is not read for a caller that has gone, or has lost its access, while it waited', async () => {
  const turns = open();
  const blocking = Promise.withResolvers<void>();
  const blocked = turns.read(replyTo('a'), () => blocking.promise);
  const gone = replyTo('b');
  let reads = 0;
  const work = async () => void reads++;
  const refusals = [
    turns.read(gone, work),
    turns.read(
      replyTo('c', () => Promise.reject(new Error('the session has ended'))),
      work,
    ),
  ].map((reading) => expect(reading).rejects.toThrow(/disconnected|ended/));
  gone.raw.destroy();
  blocking.resolve();
  await Promise.all([blocked, ...refusals]);
  expect(reads).toBe(0);
});
