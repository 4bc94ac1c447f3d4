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
  ['a claim is sent first', { ...hasReady, ...hasPage, ...isUnread }, free, 'send'],
  ['then the page is claimed', { ...hasPage, ...isUnread }, free, 'claim'],
  ['then the rest is read', isUnread, free, 'read'],
  ['nothing is left to do', {}, free, undefined],
  [
    'the page is claimed while no attempt may begin',
    { ...hasReady, ...hasPage },
    { ...free, mayBegin: false },
    'claim',
  ],
  ['a full process does nothing', { ...hasReady, ...hasPage, ...isUnread }, full, undefined],
  ['what could not be claimed is not read', isUnread, full, undefined],
  ['in an outage, a lane reads so that a probe knows of a delivery', isUnread, outage, 'read'],
  ['in an outage, nothing is claimed', hasPage, outage, undefined],
  ['a lane that reads does not read again', { backlog: 'stale' }, free, undefined],
  ['a lane that rests does nothing', { ...hasPage, backlog: 'resting' }, free, undefined],
])('%s', (_name, changes, room, kind) => {
  expect(nextAction(laneWith(changes), room)?.kind).toBe(kind);
});

test.each<[string, Partial<Lane>, Room, { attempt: boolean; claim: boolean }]>([
  ['a claim waits for an attempt', hasReady, full, { attempt: true, claim: false }],
  ['a page waits for a claim', hasPage, full, { attempt: false, claim: true }],
  ['an unread backlog waits for a claim', isUnread, full, { attempt: false, claim: true }],
  ['both', { ...hasReady, ...hasPage }, full, { attempt: true, claim: true }],
  [
    'a lane at its own limit waits for its own end',
    { ...hasReady, ...hasPage },
    free,
    { attempt: false, claim: false },
  ],
])('%s', (_name, changes, room, wants) => {
  expect(waitsFor(laneWith(changes), room)).toEqual(wants);
});
