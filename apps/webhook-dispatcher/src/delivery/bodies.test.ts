import { Binary } from 'mongodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createBodies } from './bodies.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const bodyOf = (text: string) => new Binary(Buffer.from(text));
const of = (eventId: string) => ({ eventId, organizationId: 'o' });

/** Opens `Bodies` on a fake log that has every event except `gone`, and records the ids of each read. */
const openBodies = (gone = '') => {
  const reads: string[][] = [];
  let failure: Error | undefined;
  const bodies = createBodies({
    open: async ({ body }) => body.toString(),
    async bodies(refs) {
      const ids = refs.map(({ _id, organizationId }) => {
        expect(organizationId).toBe('o');
        return _id;
      });
      reads.push(ids);
      if (failure) throw failure;
      return new Map(ids.filter((id) => id !== gone).map((id) => [id, bodyOf(`body of ${id}`)]));
    },
  });
  return {
    bodies,
    reads,
    fail(error: Error | undefined) {
      failure = error;
    },
  };
};

test('keeps a body from fan-out for one second, then reads it again', async () => {
  const { bodies, reads } = openBodies();
  bodies.keep([{ _id: 'a', body: bodyOf('kept') }], performance.now());
  vi.advanceTimersByTime(999);
  expect(await bodies.of(of('a'))).toBe('kept');
  vi.advanceTimersByTime(1);
  expect(await bodies.of(of('a'))).toBe('body of a');
  expect(reads).toEqual([['a']]);
});

test('reads expected bodies in one round trip, shares them among callers and keeps them', async () => {
  const { bodies, reads } = openBodies();
  bodies.expect([of('a'), of('b')]);
  expect(await Promise.all(['a', 'b', 'a'].map(of).map(bodies.of))).toEqual([
    'body of a',
    'body of b',
    'body of a',
  ]);
  expect(await bodies.of(of('b'))).toBe('body of b');
  expect(reads).toEqual([['a', 'b']]);
});

test('rejects when a read fails, and reads again on the next call', async () => {
  const { bodies, fail } = openBodies();
  fail(new Error('unreachable'));
  bodies.expect([of('a')]);
  await expect(bodies.of(of('a'))).rejects.toThrow('unreachable');
  fail(undefined);
  expect(await bodies.of(of('a'))).toBe('body of a');
});

test('returns undefined for an event that is gone', async () => {
  const { bodies } = openBodies('a');
  expect(await bodies.of(of('a'))).toBeUndefined();
});
