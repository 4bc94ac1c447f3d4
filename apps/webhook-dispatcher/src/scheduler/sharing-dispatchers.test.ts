import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { countSharingDispatchers } from './sharing-dispatchers.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

/** The smallest share: one attempt in flight. */
const CAUTIOUS = 12;

test('the only dispatcher takes all attempts as soon as it has counted', async () => {
  const sharing = countSharingDispatchers({ count: async () => 1, onError: () => {} });
  expect(sharing.current()).toBe(CAUTIOUS);
  await pass(0);
  expect(sharing.current()).toBe(1);
});

test('a dispatcher that starts beside others takes one attempt until they have counted it', async () => {
  const sharing = countSharingDispatchers({ count: async () => 4, onError: () => {} });
  await pass(19_999);
  expect(sharing.current()).toBe(CAUTIOUS);
  await pass(1);
  expect(sharing.current()).toBe(4);
});

test('a dispatcher notices others within ten seconds, and those that have ended', async () => {
  let live = 1;
  const sharing = countSharingDispatchers({ count: async () => live, onError: () => {} });
  await pass(0);
  live = 3;
  await pass(10_000);
  expect(sharing.current()).toBe(3);
  live = 2;
  await pass(10_000);
  expect(sharing.current()).toBe(2);
});

test('a dispatcher that cannot count, or that stood still, takes one attempt', async () => {
  const errors: unknown[] = [];
  let fails = false;
  const sharing = countSharingDispatchers({
    count: async () => {
      if (fails) throw new Error('unreachable');
      return 2;
    },
    onError: (error) => errors.push(error),
  });
  await pass(20_000);
  expect(sharing.current()).toBe(2);
  fails = true;
  await pass(20_000);
  expect(errors).toHaveLength(2);
  expect(sharing.current()).toBe(2);
  await pass(10_000);
  expect(sharing.current()).toBe(CAUTIOUS);
  fails = false;
  await pass(29_999);
  expect(sharing.current()).toBe(CAUTIOUS);
  await pass(1);
  expect(sharing.current()).toBe(2);
});

test('a registration that has expired does not make the number of dispatchers zero', async () => {
  const sharing = countSharingDispatchers({ count: async () => 0, onError: () => {} });
  await pass(0);
  expect(sharing.current()).toBe(1);
});
