import type { Reservation } from '@chairside/mongodb';
import { expect, test, vi } from 'vitest';
import { type OnceWrite, reserveWrite } from './idempotency.ts';
import type { WriteCall } from './write-call.ts';

const ids = { recordId: 'record', eventId: 'event' };
const lease = new Date();

/** A request with a key, whose reservation has this outcome. */
const callWith = (outcome: 'reserved' | 'taken_over' | 'done') => {
  const keys = {
    reserve: async () => ({ outcome, ids, lease }) as Reservation,
    finish: vi.fn(async () => {}),
    release: vi.fn(async () => {}),
    endLease: vi.fn(async () => {}),
  };
  const request = {
    principal: { kind: 'apiKey', id: 'key' },
    headers: { 'idempotency-key': 'key' },
    routeOptions: { url: '/', config: { idempotent: true } },
    store: { idempotency: keys },
    log: { warn: vi.fn() },
  };
  return { call: { request, reply: { header: vi.fn() } } as unknown as WriteCall, keys, log: request.log };
};

/** Makes a write, which may throw, and lists how its key has ended. */
const endOf = async (
  outcome: Parameters<typeof callWith>[0],
  make: (write: OnceWrite<string>) => unknown,
): Promise<string[]> => {
  const { call, keys } = callWith(outcome);
  const work = async () => {
    await using write = await reserveWrite<string>(call, async () => undefined);
    await make(write);
  };
  await work().catch(() => {});
  return (['finish', 'release', 'endLease'] as const).filter((name) => keys[name].mock.calls.length > 0);
};
const fail = () => {
  throw new Error('a failure');
};

test.each<[string, Parameters<typeof endOf>, string[]]>([
  ['fails before the statement', ['reserved', fail], ['release']],
  ['fails in the statement', ['reserved', (write) => [write.begin(), fail()]], ['endLease']],
  [
    'is refused by the statement',
    ['reserved', (write) => [write.begin(), write.refused(), fail()]],
    ['release'],
  ],
  ['fails, and an earlier request may have made it', ['taken_over', fail], ['endLease']],
  ['was made by an earlier request', ['done', (write) => write.earlier()], []],
  ['succeeds', ['reserved', (write) => [write.begin(), write.finish('made')]], ['finish']],
])('the key of a write that %s', async (_name, given, ends) => {
  expect(await endOf(...given)).toEqual(ends);
});

test('a function may return the promise of a write that finishes', async () => {
  const { call, keys } = callWith('reserved');
  const finished = Promise.withResolvers<void>();
  keys.finish.mockReturnValue(finished.promise);
  const work = async () => {
    await using write = await reserveWrite<string>(call, async () => undefined);
    write.begin();
    return write.finish('made');
  };
  const working = work();
  await expect.poll(() => keys.finish.mock.calls.length).toBe(1);
  await new Promise(setImmediate);
  finished.resolve();
  expect(await working).toBe('made');
  expect(keys.endLease).not.toHaveBeenCalled();
});

test('if the key cannot be released either, the caller learns the first error', async () => {
  const { call, keys, log } = callWith('reserved');
  keys.release.mockRejectedValue(new Error('the second'));
  const work = async () => {
    await using _write = await reserveWrite<string>(call, async () => undefined);
    throw new Error('the first');
  };
  await expect(work()).rejects.toThrow(/^the first$/);
  expect(log.warn).toHaveBeenCalledOnce();
});
