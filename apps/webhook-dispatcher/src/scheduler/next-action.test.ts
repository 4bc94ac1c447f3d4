import type { QueuedDelivery } from '@chairside/mongodb';
import { expect, test } from 'vitest';
import { type InHand, type Lane, newLane } from './lane.ts';
import { nextAction, type Room, waitsFor } from './next-action.ts';

const free: Room = {
  mayBegin: true,
  mayClaim: { fast: true, unknown: true, slow: true },
  isCrowded: false,
  isOut: false,
};
const full: Room = { ...free, mayBegin: false, mayClaim: { fast: false, unknown: false, slow: false } };
const outage: Room = { ...full, isOut: true };

const queued = { _id: 'd' } as QueuedDelivery;
const ready: InHand = { stage: 'ready', speed: 'unknown', bytes: 1 };
const laneWith = (changes: Partial<Lane>): Lane => ({ ...newLane('s', 0), ...changes });
const [hasReady, hasPage, isUnread] = [
  { inHand: new Map([['d', ready]]) },
  { page: [queued] },
  { backlog: 'unread' } as const,
];

test.each<[string, Partial<Lane>, Room, string | undefined]>([
  ['sends a claim first', { ...hasReady, ...hasPage, ...isUnread }, free, 'send'],
  ['claims from the page next', { ...hasPage, ...isUnread }, free, 'claim'],
  ['reads the backlog last', isUnread, free, 'read'],
  ['does nothing if nothing waits', {}, free, undefined],
  [
    'claims from the page while no attempt may begin',
    { ...hasReady, ...hasPage },
    { ...free, mayBegin: false },
    'claim',
  ],
  ['does nothing in a full process', { ...hasReady, ...hasPage, ...isUnread }, full, undefined],
  ['does not read a backlog that it cannot claim', isUnread, full, undefined],
  ['in an outage, reads the backlog for the one try a second', isUnread, outage, 'read'],
  ['in an outage, claims nothing', hasPage, outage, undefined],
  ['does not read while it is reading', { backlog: 'stale' }, free, undefined],
  ['does nothing while it rests', { ...hasPage, backlog: 'resting' }, free, undefined],
])('%s', (_name, changes, room, kind) => {
  expect(nextAction(laneWith(changes), room)?.kind).toBe(kind);
});

test.each<[string, Partial<Lane>, Room, { attempt: boolean; claim: boolean }]>([
  ['a claim waits for an attempt', hasReady, full, { attempt: true, claim: false }],
  ['a page waits for a claim', hasPage, full, { attempt: false, claim: true }],
  ['an unread backlog waits for a claim', isUnread, full, { attempt: false, claim: true }],
  [
    'a claim waits for an attempt and a page for a claim',
    { ...hasReady, ...hasPage },
    full,
    { attempt: true, claim: true },
  ],
  [
    'a lane at its own limit does not wait for room in the process',
    { ...hasReady, ...hasPage },
    free,
    { attempt: false, claim: false },
  ],
])('%s', (_name, changes, room, wants) => {
  expect(waitsFor(laneWith(changes), room)).toEqual(wants);
});
