import { expect, test } from 'vitest';
import { createCapacity } from './capacity.ts';
import type { Speed } from './lane.ts';

/** How many of something there is room for. */
const roomFor = (take: () => unknown, mayTake: () => boolean): number => {
  let taken = 0;
  while (mayTake() && taken < 10_000) {
    take();
    taken++;
  }
  return taken;
};

test('the slow and the unknown leave claims and attempts to the fast', () => {
  const capacity = createCapacity(() => false);
  const claims = (speed: Speed) =>
    roomFor(
      () => capacity.claim(speed, 1000),
      () => capacity.mayClaim(speed),
    );
  const [slow, unknown] = [claims('slow'), claims('unknown')];
  expect([slow, unknown]).toEqual([300, 200]);
  expect(claims('fast')).toBe(1000);
  expect(roomFor(() => capacity.attempt(), capacity.mayBegin)).toBe(slow + unknown + 100);
});

test('large bodies leave room for fewer claims, and none of another speed', () => {
  const capacity = createCapacity(() => false);
  const ends: (() => void)[] = [];
  const claims = (speed: Speed) =>
    roomFor(
      () => ends.push(capacity.claim(speed, 256 * 1024)),
      () => capacity.mayClaim(speed),
    );
  expect([claims('slow'), claims('unknown'), claims('fast')]).toEqual([32, 32, 64]);
  for (const end of ends) end();
  expect([claims('slow'), claims('unknown'), claims('fast')]).toEqual([32, 32, 64]);
});

test('what has ended leaves room again', () => {
  const capacity = createCapacity(() => false);
  const ends = [capacity.claim('slow', 1000), capacity.attempt(), capacity.outcome()];
  expect(capacity.isIdle()).toBe(false);
  for (const end of ends) end();
  expect(capacity.isIdle()).toBe(true);
});

test('it is crowded when half of what slow receivers may have is claimed', () => {
  const capacity = createCapacity(() => false);
  expect(
    roomFor(
      () => capacity.claim('slow', 1000),
      () => !capacity.isCrowded(),
    ),
  ).toBe(150);
});

test('no attempt begins while 1,000 outcomes are not stored, or while we reach nobody', () => {
  const capacity = createCapacity(() => false);
  expect(roomFor(() => capacity.outcome(), capacity.mayBegin)).toBe(1000);
  const out = createCapacity(() => true);
  expect([out.mayBegin(), out.mayClaim('fast')]).toEqual([false, false]);
});
