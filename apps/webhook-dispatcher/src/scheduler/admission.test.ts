import { expect, test } from 'vitest';
import { Admission } from './admission.ts';
import type { InHand, Speed } from './lane.ts';

const openAdmission = (isOut = false) => new Admission({ isOut: () => isOut, dispatchers: () => 1 });

/** Calls `take` until `mayTake` returns false. Returns the number of calls. */
const roomFor = (take: () => unknown, mayTake: () => boolean): number => {
  let taken = 0;
  while (mayTake() && taken < 10_000) {
    take();
    taken++;
  }
  return taken;
};
const claimsOf = (admission: Admission, speed: Speed, bytes: number, into: InHand[] = []): number =>
  roomFor(
    () => into.push(admission.claim(speed, bytes)),
    () => admission.room.mayClaim[speed],
  );

test('slow and unknown receivers leave claims and attempts for fast ones', () => {
  const admission = openAdmission();
  const held: InHand[] = [];
  const [slow, unknown] = [
    claimsOf(admission, 'slow', 1000, held),
    claimsOf(admission, 'unknown', 1000, held),
  ];
  expect([slow, unknown]).toEqual([300, 200]);
  expect(claimsOf(admission, 'fast', 1000, held)).toBe(1000);
  const started = roomFor(
    () => admission.move(held.shift() as InHand, 'sending'),
    () => admission.room.mayBegin,
  );
  expect(started).toBe(slow + unknown + 100);
});

test('the load is the highest share of a limit, and claims for fast receivers do not count', () => {
  const admission = openAdmission();
  const claim = (speed: Speed, count: number, bytes = 1000) =>
    Array.from({ length: count }, () => admission.claim(speed, bytes));
  claim('fast', 500);
  expect(admission.load).toBe(0);
  // All attempts of one slow receiver.
  const slow = claim('slow', 20);
  for (const held of slow) admission.move(held, 'sending');
  expect(admission.load).toBeCloseTo(20 / 300);
  for (const held of claim('fast', 300)) admission.move(held, 'sending');
  expect(admission.load).toBeCloseTo(320 / 600);
  claim('unknown', 1, 6 * 2 ** 20);
  expect(admission.load).toBe(0.75);
});

test('large bodies reduce only the claims for receivers of the same speed', () => {
  const admission = openAdmission();
  const held: InHand[] = [];
  const claims = () =>
    (['slow', 'unknown', 'fast'] as const).map((speed) => claimsOf(admission, speed, 256 * 1024, held));
  expect(claims()).toEqual([32, 32, 64]);
  for (const each of held) admission.release(each);
  expect(claims()).toEqual([32, 32, 64]);
});

test('a released delivery frees its room in every stage', async () => {
  const admission = openAdmission();
  const outcome = Promise.withResolvers<void>();
  const stored = admission.untilStored(outcome.promise);
  for (const stage of ['claiming', 'ready', 'sending', 'returning'] as const) {
    const held = admission.claim('slow', 1000);
    admission.move(held, stage);
    expect(admission.isIdle).toBe(false);
    admission.release(held);
  }
  expect(admission.isIdle).toBe(false);
  outcome.resolve();
  await stored;
  expect(admission.isIdle).toBe(true);
  const started = roomFor(
    () => admission.move(admission.claim('fast', 0), 'sending'),
    () => admission.room.mayBegin,
  );
  expect(started).toBe(600);
});

test('is crowded when slow receivers use half of their claims or bytes', () => {
  const admission = openAdmission();
  const untilCrowded = roomFor(
    () => admission.claim('slow', 1000),
    () => !admission.room.isCrowded,
  );
  expect(untilCrowded).toBe(150);
});

test('no attempt begins while 1,000 outcomes are not stored, or during an outage', () => {
  const admission = openAdmission();
  const unstored = roomFor(
    () => void admission.untilStored(new Promise(() => {})),
    () => admission.room.mayBegin,
  );
  expect(unstored).toBe(1000);
  const { mayBegin, mayClaim } = openAdmission(true).room;
  expect({ mayBegin, mayClaim }).toEqual({
    mayBegin: false,
    mayClaim: { fast: false, unknown: false, slow: false },
  });
});
