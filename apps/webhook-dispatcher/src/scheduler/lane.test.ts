import type { QueuedDelivery } from '@chairside/mongodb/dispatch';
import { describe, expect, test } from 'vitest';
import {
  enqueue,
  findStale,
  hasRoom,
  type InHand,
  isClear,
  isIdleFor,
  type Lane,
  learn,
  newLane,
  nextReady,
  type Sharing,
} from './lane.ts';

const CAP = 12;
const ALONE: Sharing = { isCrowded: false, dispatchers: 1 };
const CROWDED: Sharing = { ...ALONE, isCrowded: true };
const MOST = 100;
const PAGE = 200;

const deliveryOf = (_id: string): QueuedDelivery => ({
  _id,
  organizationId: 'o',
  clinicId: 'c',
  subscriptionId: 's',
  eventId: 'e',
  event: 'patient.created',
  kind: 'event',
  createdTime: new Date(0),
});
const inHand = (stage: InHand['stage'], readyAt = 0): InHand => ({
  stage,
  organizationId: 'o',
  speed: 'fast',
  bytes: 1000,
  claim: { delivery: { ...deliveryOf('x'), token: 't' }, claimedAt: readyAt, readyAt },
});
/** Whether the lane may begin another attempt with this many in flight. */
const mayBegin = (lane: Lane, inFlight: number, sharing: Sharing = ALONE): boolean => {
  const stages = [...Array.from({ length: inFlight }, () => inHand('sending')), inHand('ready')];
  const busy = { ...lane, inHand: new Map(stages.map((held, index) => [String(index), held])) };
  return nextReady(busy, sharing) !== undefined;
};
/** How many deliveries the lane claims before it has no room. */
const roomOf = (lane: Lane, sharing: Sharing = ALONE): number => {
  let claimed = 0;
  while (hasRoom(lane, sharing)) lane.inHand.set(`claimed-${claimed++}`, inHand('claiming'));
  lane.inHand.clear();
  return claimed;
};
/** A lane after this many attempts of this duration in milliseconds. */
const laneAfter = (attempts: number, milliseconds: number, timedOut = false): Lane => {
  const lane = newLane({ subscriptionId: 's', organizationId: 'o' }, 0);
  for (let index = 0; index < attempts; index++) learn(lane, timedOut, milliseconds);
  return lane;
};

describe('how much a lane claims', () => {
  test.each([
    ['an unknown receiver: four', laneAfter(0, 0), 4],
    ['a receiver that has responded once: as many as it can send at once', laneAfter(1, 100), CAP],
    [
      'a receiver that responds in 2 ms: as many as it sends in 50 ms, at most a hundred',
      laneAfter(50, 2),
      MOST,
    ],
    ['a receiver that responds in 25 ms: as many as it sends in 50 ms', laneAfter(100, 25), 2 * CAP],
    ['a receiver that takes a second: as many as it can send at once', laneAfter(50, 1000), CAP],
    ['a receiver that keeps timing out: one', laneAfter(10, 5000, true), 1],
  ])('%s', (_name, lane, room) => {
    expect(roomOf(lane)).toBe(room);
  });

  test.each([
    ['a receiver that takes more than a second: four', laneAfter(50, 1100), 4],
    ['a receiver that keeps timing out: one', laneAfter(10, 5000, true), 1],
    ['a receiver that responds in 2 ms: as many as without slow ones', laneAfter(50, 2), MOST],
  ])('while many are slow, %s', (_name, lane, room) => {
    expect(roomOf(lane, CROWDED)).toBe(room);
    expect(mayBegin(lane, 3, CROWDED)).toBe(room > 3);
    expect(mayBegin(lane, 4, CROWDED)).toBe(room > 4);
  });

  test('one timeout ends claiming ahead, and fast responses bring it back', () => {
    const lane = laneAfter(50, 2);
    learn(lane, false, 5000);
    expect(roomOf(lane)).toBe(CAP);
    for (let index = 0; index < 50; index++) learn(lane, false, 2);
    expect(roomOf(lane)).toBe(MOST);
  });

  test('a lane that rests claims nothing', () => {
    expect(roomOf({ ...newLane({ subscriptionId: 's', organizationId: 'o' }, 0), backlog: 'resting' })).toBe(
      0,
    );
  });
});

describe('how many attempts a lane makes at once', () => {
  const attemptsOf = (failures: number, dispatchers: number): number => {
    const lane = { ...laneAfter(50, 1000), failures };
    let inFlight = 0;
    while (mayBegin(lane, inFlight, { ...ALONE, dispatchers })) inFlight++;
    return inFlight;
  };

  test('dispatchers share the attempts, and each makes at least one', () => {
    expect([1, 2, 4, 5, 12, 40].map((dispatchers) => attemptsOf(0, dispatchers))).toEqual([
      12, 6, 3, 2, 1, 1,
    ]);
  });

  test('failures in a row and attempts in flight are never more than twelve together', () => {
    expect([0, 1, 2, 3, 4].map((failures) => attemptsOf(failures, 1))).toEqual([12, 11, 10, 9, 8]);
    expect([0, 1, 4].map((failures) => attemptsOf(failures, 3))).toEqual([4, 3, 2]);
  });

  test('from the fifth failure in a row on, one at a time', () => {
    expect([5, 11, 12, 19].map((failures) => attemptsOf(failures, 1))).toEqual([1, 1, 1, 1]);
    expect(roomOf({ ...laneAfter(50, 2), failures: 5 })).toBe(0);
  });
});

test('claims that have waited a second are returned, and nothing more is claimed ahead', () => {
  const lane = laneAfter(50, 2);
  const [old, fresh] = [inHand('ready', 0), inHand('ready', 1)];
  lane.inHand = new Map([
    ['old', old],
    ['new', fresh],
    ['sent', inHand('sending', 0)],
  ]);
  expect(findStale(lane, 999)).toEqual([]);
  expect(roomOf({ ...lane, inHand: new Map() })).toBe(MOST);
  expect(findStale(lane, 1000)).toEqual([old]);
  expect(roomOf({ ...lane, inHand: new Map() })).toBe(CAP);
});

test('a new delivery joins the page if the page has room and holds the whole backlog', () => {
  const lane = newLane({ subscriptionId: 's', organizationId: 'o' }, 0);
  expect(isClear(lane)).toBe(true);
  for (let index = 0; index < PAGE + 1; index++) enqueue(lane, deliveryOf(String(index)), PAGE);
  expect([lane.page.length, lane.backlog, isClear(lane)]).toEqual([PAGE, 'unread', false]);

  const reading: Lane = { ...newLane({ subscriptionId: 's', organizationId: 'o' }, 0), backlog: 'reading' };
  enqueue(reading, deliveryOf('during a read that may not have it'), PAGE);
  expect([reading.page.length, reading.backlog]).toEqual([0, 'stale']);
});

test('a lane is idle after it has had nothing to do for the given time', () => {
  const lane = newLane({ subscriptionId: 's', organizationId: 'o' }, 0);
  expect([isIdleFor(lane, 10, 9), isIdleFor(lane, 10, 10)]).toEqual([false, true]);
  lane.inHand.set('x', inHand('claiming'));
  expect(isIdleFor(lane, 10, 10)).toBe(false);
});
