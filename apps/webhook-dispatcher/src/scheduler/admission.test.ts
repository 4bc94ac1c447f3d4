import { expect, test } from 'vitest';
import { Admission } from './admission.ts';
import type { InHand, Speed } from './lane.ts';

const openAdmission = (isOut = false) => new Admission({ isOut: () => isOut, dispatchers: () => 1 });

/** Two organizations take all of a limit, because one may have half. */
const [ONE, OTHER] = ['one', 'other'];

/** Calls `take` until `mayTake` returns false. Returns the number of calls. */
const roomFor = (take: () => unknown, mayTake: () => boolean): number => {
  let taken = 0;
  while (mayTake() && taken < 10_000) {
    take();
    taken++;
  }
  return taken;
};
const claimsOfOne = (admission: Admission, of: string, speed: Speed, bytes: number, into: InHand[] = []) =>
  roomFor(
    () => into.push(admission.claim(of, speed, bytes)),
    () => admission.mayClaim(speed, of),
  );
const claimsOf = (admission: Admission, speed: Speed, bytes: number, into: InHand[] = []): number =>
  claimsOfOne(admission, ONE, speed, bytes, into) + claimsOfOne(admission, OTHER, speed, bytes, into);

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
    () => admission.mayBegin(),
  );
  expect(started).toBe(slow + unknown + 100);
});

test('the load is the highest share of a limit, and claims for fast receivers do not count', () => {
  const admission = openAdmission();
  const claim = (speed: Speed, count: number, bytes = 1000) =>
    Array.from({ length: count }, () => admission.claim(ONE, speed, bytes));
  claim('fast', 500);
  expect(admission.load).toBe(0);
  // All attempts of one slow receiver.
  const slow = claim('slow', 20);
  for (const held of slow) admission.move(held, 'sending');
  expect(admission.load).toBeCloseTo(20 / 150);
  for (const held of claim('fast', 100)) admission.move(held, 'sending');
  expect(admission.load).toBeCloseTo(120 / 300);
  claim('unknown', 1, 3 * 2 ** 20);
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
    const held = admission.claim(ONE, 'slow', 1000);
    admission.move(held, stage);
    expect(admission.isIdle).toBe(false);
    admission.release(held);
  }
  expect(admission.isIdle).toBe(false);
  outcome.resolve();
  await stored;
  expect(admission.isIdle).toBe(true);
  const started = roomFor(
    () => admission.move(admission.claim(ONE, 'fast', 0), 'sending'),
    () => admission.mayBegin(),
  );
  expect(started).toBe(600);
});

test('one organization has half of the claims and bytes, and another one finds the rest', () => {
  for (const [speed, max] of [
    ['fast', 1000],
    ['unknown', 200],
    ['slow', 300],
  ] as const) {
    const admission = openAdmission();
    expect(claimsOfOne(admission, ONE, speed, 0)).toBe(max / 2);
    expect(claimsOfOne(admission, OTHER, speed, 0)).toBe(max / 2);
  }
  const admission = openAdmission();
  const held: InHand[] = [];
  expect(claimsOfOne(admission, ONE, 'slow', 256 * 1024, held)).toBe(16);
  expect([admission.mayClaim('slow', ONE), admission.mayClaim('slow', OTHER)]).toEqual([false, true]);
  admission.release(held[0] as InHand);
  expect(admission.mayClaim('slow', ONE)).toBe(true);
});

test('one organization has half of the attempts in flight', () => {
  const admission = openAdmission();
  const begin = (of: string, speed: Speed) => admission.move(admission.claim(of, speed, 0), 'sending');
  const begun = roomFor(
    () => begin(ONE, 'fast'),
    () => admission.mayBegin(ONE),
  );
  expect(begun).toBe(300);
  expect(admission.mayBegin(OTHER)).toBe(true);
});

test('an organization with much in hand leaves room at half of the claims for slow receivers, others at three quarters', () => {
  const admission = openAdmission();
  const isCrowded = (organizationId: string) => admission.roomOf(organizationId).isCrowded;
  const claimUntilCrowded = (of: string, observed: string) =>
    roomFor(
      () => admission.claim(of, 'slow', 1000),
      () => !isCrowded(observed),
    );
  expect(claimUntilCrowded(ONE, ONE)).toBe(150);
  expect(isCrowded(OTHER)).toBe(false);
  expect(claimUntilCrowded('third', OTHER)).toBe(75);
});

test('no attempt begins while 1,000 outcomes are not stored, or during an outage', () => {
  const admission = openAdmission();
  const unstored = roomFor(
    () => void admission.untilStored(new Promise(() => {})),
    () => admission.mayBegin(),
  );
  expect(unstored).toBe(1000);
  const { mayBegin, mayClaim } = openAdmission(true).roomOf(ONE);
  expect({ mayBegin, mayClaim }).toEqual({
    mayBegin: false,
    mayClaim: { fast: false, unknown: false, slow: false },
  });
});
