import type { QueuedDelivery } from '@chairside/mongodb/dispatch';
import { expect, test } from 'vitest';
import { type InHand, type Lane, newLane } from './lane.ts';
import { nextAction, type Room, waitsFor } from './next-action.ts';

const free: Room = {
  mayBegin: true,
  mayClaim: { fast: true, unknown: true, slow: true },
  isCrowded: false,
  dispatchers: 1,
  isOut: false,
};
const full: Room = { ...free, mayBegin: false, mayClaim: { fast: false, unknown: false, slow: false } };
const outage: Room = { ...full, isOut: true };

const queued = { _id: 'd', kind: 'event' } as QueuedDelivery;
const requested = { _id: 'r', kind: 'test' } as QueuedDelivery;
const ready: InHand = { stage: 'ready', organizationId: 'o', speed: 'unknown', bytes: 1 };
const laneWith = (changes: Partial<Lane>): Lane => ({
  ...newLane({ subscriptionId: 's', organizationId: 'o' }, 0),
  ...changes,
});
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

const slowed = { failures: 5 };
const held = { ...slowed, permit: { state: 'held', token: 't', takenAt: 0, ignoresPause: false } } as const;
const hasty = { ...held, permit: { ...held.permit, ignoresPause: true } };
const [pausing, waiting] = [true, false].map((isPause) => ({
  ...slowed,
  permit: { state: 'waiting', isPause } as const,
}));
const isSending = { inHand: new Map([['s', { ...ready, stage: 'sending' as const }]]) };

test.each<[string, Partial<Lane>, Room, string | undefined]>([
  ['reads what waits', { ...slowed, ...isUnread }, free, 'read'],
  ['takes the permit before it claims', { ...slowed, ...hasPage }, free, 'takePermit'],
  ['takes no permit without a delivery', slowed, free, undefined],
  [
    'takes no permit while attempts from before are in flight',
    { ...slowed, ...hasPage, ...isSending },
    free,
    undefined,
  ],
  ['takes no permit in a full process', { ...slowed, ...hasPage }, full, undefined],
  ['takes no permit in an outage', { ...slowed, ...hasPage }, outage, undefined],
  ['takes no permit while it rests', { ...slowed, ...hasPage, backlog: 'resting' }, free, undefined],
  ['does not send without the permit', { ...slowed, ...hasReady }, free, undefined],
  ['does not ask twice', { ...slowed, ...hasPage, permit: { state: 'pending' } }, free, undefined],
  ['waits for the pause with an event', { ...pausing, ...hasPage }, free, undefined],
  ['does not wait for the pause with a test', { ...pausing, page: [requested] }, free, 'takePermit'],
  ['waits for the permit of another process with a test', { ...waiting, page: [requested] }, free, undefined],
  ['claims with its permit', { ...held, ...hasPage }, free, 'claim'],
  ['sends with its permit', { ...held, ...hasPage, ...hasReady }, free, 'send'],
  ['makes one attempt with its permit', { ...held, ...hasPage, ...isSending }, free, undefined],
  ['reads with its permit', { ...held, ...isUnread }, free, 'read'],
  ['waits for its page with its permit', { ...held, backlog: 'reading' }, free, undefined],
  ['gives a permit back for which it has no delivery', held, free, 'givePermitBack'],
  ['gives a permit back in an outage', { ...held, ...hasPage }, outage, 'givePermitBack'],
  ['sends a test with a permit that ignores the pause', { ...hasty, page: [requested] }, free, 'claim'],
  ['sends no event with a permit that ignores the pause', { ...hasty, ...hasPage }, free, 'givePermitBack'],
])('a lane that is slowed down %s', (_name, changes, room, kind) => {
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
  [
    'a lane without its permit waits for no claim',
    { ...waiting, ...hasPage },
    full,
    { attempt: false, claim: false },
  ],
  [
    'a lane that may ask for its permit waits for room',
    { ...slowed, ...hasPage },
    full,
    { attempt: true, claim: true },
  ],
  [
    'in an outage, a lane waits for its try',
    { ...waiting, ...hasPage },
    outage,
    { attempt: false, claim: true },
  ],
])('%s', (_name, changes, room, wants) => {
  expect(waitsFor(laneWith(changes), room)).toEqual(wants);
});
