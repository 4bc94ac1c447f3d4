import { causesInWords } from '@chairside/domain';
import type { Bulk } from './bulk-requests.ts';
import type { Disabling } from './disablings.ts';
import type { Evidence, LoggedEvent, StoredBulk, StoredDelivery, StoredNotice } from './evidence.ts';
import type { Down, Life } from './history.ts';
import type { Seen } from './receivers.ts';

/** The time this many seconds after the beginning of the run. */
export const at = (seconds: number): Date => new Date(seconds * 1000);
const NEVER = Number.POSITIVE_INFINITY;

export const eventOf = (_id: string, name: string): LoggedEvent => ({
  _id,
  event: 'patient.created',
  about: [`record of ${name}`],
  clinicIds: ['clinic'],
  body: JSON.stringify({ data: { name, lastEditTime: 'now' } }),
});

/** The subscription of a receiver. */
const SIGNERS: Readonly<Record<string, string>> = { fails: 'bad' };

export const seenOf = (receiver: string, deliveryId: string, ends: readonly string[], seconds = 0): Seen => ({
  receiver,
  path: '/hook',
  deliveryId,
  at: seconds * 1000,
  lasts: 0,
  ends,
  isWhole: true,
  signedBy: [SIGNERS[receiver] ?? receiver],
  payload: undefined,
});

const attempt = (eventId: string, subscriptionId: string, seconds: number): StoredDelivery => ({
  _id: `${eventId}-${subscriptionId}`,
  eventId,
  subscriptionId,
  kind: 'event',
  status: 'succeeded',
  worker: 'worker',
  createdTime: at(seconds),
  claimedAt: at(seconds),
  attemptTime: at(seconds),
  duration: 10,
  finalTime: at(seconds),
});
export const failure = (eventId: string, seconds: number): StoredDelivery => ({
  ...attempt(eventId, 'bad', seconds),
  status: 'failed',
  cause: 'status',
});

const OLD = Array.from({ length: 20 }, (_, index) => ({ eventId: `old ${index}`, seconds: index + 2 }));
const oldEvents = OLD.map(({ eventId }) => eventOf(eventId, eventId));
/** The failures that disabled the subscription of the failing receiver at 21 s. */
export const failures = OLD.map(({ eventId, seconds }) => failure(eventId, seconds));
const successes = OLD.map(({ eventId, seconds }) => attempt(eventId, 'healthy', seconds));

/**
 * A delivery to the healthy receiver at 100 s, the same event skipped for the failing one, and its redelivery at 121 s.
 */
export const sent = attempt('event', 'healthy', 100);
export const skipped: StoredDelivery = {
  _id: 'event-bad',
  eventId: 'event',
  subscriptionId: 'bad',
  kind: 'event',
  status: 'skipped',
  cause: 'subscription_disabled',
  createdTime: at(100),
  finalTime: at(100),
};
export const again: StoredDelivery = {
  ...failure('event', 121),
  _id: 'event-bad-bulk',
  kind: 'redelivery',
  redeliveryOf: 'event-bad',
};

export const event = eventOf('event', 'answered');
export const post = seenOf('healthy', sent._id, ['succeeded'], 100);
export const postAgain = seenOf('fails', again._id, ['status']);
const oldPosts = [
  ...failures.map(({ _id }) => seenOf('fails', _id, ['status'])),
  ...successes.map(({ _id }) => seenOf('healthy', _id, ['succeeded'])),
];

export const asked: Bulk = {
  subscriptionId: 'bad',
  since: at(90).toISOString(),
  outcomes: ['failed', 'skipped'],
  id: 'bulk',
  refusal: undefined,
};
export const bulk: StoredBulk = {
  _id: 'bulk',
  subscriptionId: 'bad',
  since: at(90),
  until: at(120),
  outcomes: ['failed', 'skipped'],
  state: 'done',
  made: 1,
  gone: 0,
  createdTime: at(120),
};
export const disabling: Disabling = {
  subscriptionId: 'bad',
  at: at(21).getTime(),
  reason: `Disabled after 20 failed deliveries in a row. The last causes: ${causesInWords.status}.`,
  enabledFrom: NEVER,
  enabledBy: NEVER,
};
export const enabledAt = (seconds: number) => ({ enabledFrom: seconds * 1000, enabledBy: seconds * 1000 });
export const life: Life = {
  target: 'dispatcher 1',
  worker: 'worker',
  diedAt: undefined,
  reported: failures.map(({ _id }) => _id),
  errors: [],
};
export const other: Life = { ...life, target: 'dispatcher 2', worker: 'another', reported: [] };
export const outage = (target: string, how: Down['how'], from: number, until: number): Down => ({
  target,
  how,
  from: from * 1000,
  until: until * 1000,
});

/** The mail that tells the owner of the failing receiver. */
export const notice: StoredNotice = {
  _id: 'mail',
  operatorId: 'owner',
  createdTime: at(32),
  state: 'sent',
  attempts: 1,
  doubts: 0,
  told: [{ kind: 'subscriptionDisabled', subject: 'bad', occurrence: at(21).toISOString() }],
};
export const copy = { mailId: notice._id, to: ['owner@example.com'], at: 33_000 };

/** A run without violations. Each test changes a part of it. */
export const good: Evidence = {
  leaks: [],
  acknowledged: [{ event: 'patient.created', recordId: 'record of answered', lastEditTime: 'now' }],
  creations: [
    { mark: 'answered', isAcknowledged: true },
    { mark: 'lost before it was written', isAcknowledged: false },
  ],
  refused: [
    { request: 'PUT /api/patients/1', status: undefined, requestId: undefined },
    { request: 'PUT /api/patients/1', status: 503, requestId: 'unreachable' },
    { request: 'PUT /api/patients/2', status: 404, requestId: 'gone' },
  ],
  requested: [skipped._id],
  repeated: [],
  bulks: [asked],
  storedBulks: [bulk],
  disablings: [disabling],
  switches: [],
  payloadChanges: [],
  bookings: { clinicId: 'booked', chairs: 2, occupations: [], refusals: [] },
  sync: { systems: {}, service: [] },
  notices: {
    owners: [
      { operatorId: 'owner', email: 'owner@example.com', subscriptionId: 'bad', at: 21_000 },
      { operatorId: 'lucky', email: 'lucky@example.com', subscriptionId: 'other' },
    ],
    stored: [notice],
    taken: [copy],
    untold: 0,
  },
  drafts: 0,
  unpublished: 0,
  events: [event, ...oldEvents],
  deliveries: [sent, skipped, again, ...failures, ...successes],
  subscriptions: [
    { _id: 'healthy', clinicId: 'clinic', chainId: 'healthy', receiver: 'healthy' },
    { _id: 'bad', clinicId: 'clinic', chainId: 'bad', receiver: 'fails' },
    { _id: 'other', clinicId: 'other clinic', chainId: 'other', receiver: 'healthy' },
  ],
  seen: [post, postAgain, ...oldPosts],
  downs: [],
  lives: [life, other],
};

/** The run with one delivery changed. */
export const deliveryWith = (
  { _id }: StoredDelivery,
  changes: { [F in keyof StoredDelivery]?: StoredDelivery[F] | undefined },
) => ({
  deliveries: good.deliveries.map((each) => (each._id === _id ? { ...each, ...changes } : each)),
});
export const deliveriesAnd = (...more: StoredDelivery[]) => ({ deliveries: [...good.deliveries, ...more] });
export const without = (...ids: string[]) => ({
  deliveries: good.deliveries.filter(({ _id }) => !ids.includes(_id)),
});
export const seenWith = (changes: object) => ({
  seen: good.seen.map((each) => (each === post ? { ...each, ...changes } : each)),
});
export const unseen = (...ids: string[]) => ({
  seen: good.seen.filter(({ deliveryId }) => !ids.includes(deliveryId)),
});
