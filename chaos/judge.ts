import type { Seen } from './receivers.ts';
import { isHealthy } from './receivers.ts';
import type { Answered, Creation } from './writes.ts';

/** An event, as the log has it. */
export type LoggedEvent = {
  _id: string;
  event: string;
  recordId: string;
  clinicIds: readonly string[];
  body: string;
};

/** A Delivery, as the database has it. */
export type StoredDelivery = {
  _id: string;
  eventId: string;
  subscriptionId: string;
  kind: string;
  status: string;
  cause?: string;
  reason?: string;
  attemptTime?: Date;
};

export type SubscriptionState = { _id: string; clinicId: string; receiver: string; active: boolean };

/** Everything that a run has left behind. */
export type Evidence = {
  answered: readonly Answered[];
  creations: readonly Creation[];
  /** Deliveries that an operator asked for and that were answered 200. */
  requested: readonly string[];
  /** Records whose events have not left them. */
  unpublished: number;
  events: readonly LoggedEvent[];
  deliveries: readonly StoredDelivery[];
  subscriptions: readonly SubscriptionState[];
  seen: readonly Seen[];
};

const FINAL = ['succeeded', 'failed', 'skipped', 'interrupted'];
/** What an attempt that no receiver saw may have ended in. */
const UNSEEN = ['connect', 'timeout', 'reset', 'blocked_address'];

const countBy = <T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
};

/** Every write that was answered 200 has its event, once; no creation was made twice. */
function* judgeEvents({ answered, creations, events, unpublished }: Evidence): Generator<string> {
  const dataOf = ({ body }: LoggedEvent) => JSON.parse(body).data;
  const written = countBy(
    events,
    (event) => `${event.event} ${event.recordId} ${dataOf(event).lastEditTime}`,
  );
  for (const { event, recordId, lastEditTime } of answered) {
    const key = `${event} ${recordId} ${lastEditTime}`;
    if (!written.has(key)) yield `a write was answered 200 and has no event: ${key}`;
  }
  for (const [key, count] of written) if (count > 1) yield `a write has ${count} events: ${key}`;

  const created = events.filter(({ event }) => event.endsWith('.created')).map(dataOf);
  const made = countBy(created, ({ name, reminders }) => name ?? reminders?.[0]?.mark ?? '');
  for (const { mark, isAnswered } of creations) {
    const count = made.get(mark) ?? 0;
    if (count > 1) yield `one creation made ${count} records: ${mark}`;
    if (isAnswered && count === 0) yield `a creation was answered 200 and has no event: ${mark}`;
  }
  if (unpublished > 0) yield `${unpublished} records still hold events`;
}

/** Every event has exactly one Delivery of kind `event` for each subscription of its clinics, and there are no others. */
function* judgePairs({ events, deliveries, subscriptions, requested }: Evidence): Generator<string> {
  const ofEvents = deliveries.filter(({ kind }) => kind === 'event');
  const pairs = countBy(ofEvents, ({ eventId, subscriptionId }) => `${eventId} ${subscriptionId}`);
  for (const { _id, clinicIds } of events) {
    for (const { _id: subscriptionId, clinicId, receiver } of subscriptions) {
      if (!clinicIds.includes(clinicId)) continue;
      const pair = `${_id} ${subscriptionId}`;
      const count = pairs.get(pair) ?? 0;
      if (count !== 1) yield `event ${_id} has ${count} Deliveries for ${receiver}`;
      pairs.delete(pair);
    }
  }
  for (const pair of pairs.keys()) yield `a Delivery for nobody: ${pair}`;
  const ids = new Set(deliveries.map(({ _id }) => _id));
  for (const id of requested) if (!ids.has(id)) yield `what an operator asked for is not there: ${id}`;
}

/** No receiver saw a Delivery twice, one of another's, or one that was not signed for it. */
function* judgeSeen({ seen, deliveries, subscriptions }: Evidence): Generator<string> {
  const receivers = new Map(subscriptions.map(({ _id, receiver }) => [_id, receiver]));
  const byId = new Map(deliveries.map((delivery) => [delivery._id, delivery]));
  for (const [id, count] of countBy(seen, ({ deliveryId }) => deliveryId)) {
    if (count > 1) yield `receivers saw Delivery ${id} ${count} times`;
  }
  for (const { deliveryId, receiver, path, isVerified, isWhole } of seen) {
    const delivery = byId.get(deliveryId);
    if (delivery === undefined) yield `${receiver} saw Delivery ${deliveryId}, which is not stored`;
    else if (receivers.get(delivery.subscriptionId) !== receiver)
      yield `${receiver} saw the Delivery of another`;
    if (path !== '/hook') yield `${receiver} was asked for ${path}`;
    if (isWhole && !isVerified) yield `${receiver} got Delivery ${deliveryId} with a wrong signature`;
  }
}

/** What each Delivery says agrees with what its receiver saw; one that was not attempted says why. */
function* judgeOutcomes({ seen, deliveries, subscriptions }: Evidence): Generator<string> {
  const receivers = new Map(subscriptions.map(({ _id, receiver }) => [_id, receiver]));
  const byId = new Map(seen.map((post) => [post.deliveryId, post]));
  for (const delivery of deliveries) {
    const { _id, kind, status, cause, reason, attemptTime, subscriptionId } = delivery;
    const receiver = receivers.get(subscriptionId) ?? 'nobody';
    const what = `Delivery ${_id} for ${receiver}: ${status} ${cause ?? ''}`;
    const post = byId.get(_id);
    if (!FINAL.includes(status)) yield `${what}: not final`;
    if (attemptTime === undefined && cause === undefined && reason === undefined)
      yield `${what}: does not say why`;
    const isAttempt = status === 'succeeded' || status === 'failed';
    if (isAttempt !== (attemptTime !== undefined)) yield `${what}: attempted or not?`;
    if (status === 'skipped' && post !== undefined) yield `${what}: but it was sent`;
    if (kind !== 'event' && cause === 'subscription_disabled') yield `${what}: but an operator asked for it`;
    if (!isAttempt) continue;
    const ending = status === 'succeeded' ? status : (cause ?? '');
    // Who stood still for long has seen nothing in time, whatever was answered.
    const allowed = [...(post?.ends ?? UNSEEN), 'timeout'];
    if (!allowed.includes(ending))
      yield `${what}: the receiver knows better (${post?.ends ?? 'saw nothing'})`;
    if (isHealthy(receiver) && status === 'failed' && cause !== 'timeout')
      yield `${what}: the receiver is healthy`;
  }
  for (const { receiver, active } of subscriptions) {
    if (isHealthy(receiver) && !active) yield `${receiver} was disabled`;
  }
}

/** @returns a line for each promise that was broken */
export const judge = (evidence: Evidence): string[] => [
  ...judgeEvents(evidence),
  ...judgePairs(evidence),
  ...judgeSeen(evidence),
  ...judgeOutcomes(evidence),
];
