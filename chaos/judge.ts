import type { Evidence, LoggedEvent } from './evidence.ts';
import { judgeBulks } from './judge-bulks.ts';
import { judgeDisablings } from './judge-disablings.ts';
import { judgeOutcomes } from './judge-outcomes.ts';

const countBy = <T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, number> =>
  new Map(Array.from(Map.groupBy(items, keyOf), ([key, own]) => [key, own.length]));

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

/** While something is away the api says so, with 503: a 500 is a fault of its own. */
function* judgeAnswers({ refused }: Evidence): Generator<string> {
  for (const { request, status = 0, requestId } of refused) {
    if (status >= 500 && status !== 503) yield `${request} was answered ${status}: request ${requestId}`;
  }
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

/** What a process claimed says so, and it alone told how it ended, once: also where no receiver could see it. */
function* judgeWorkers({ lives, deliveries }: Evidence): Generator<string> {
  const workers = new Map(deliveries.map(({ _id, worker }) => [_id, worker]));
  for (const { target, worker, reported } of lives) {
    for (const id of reported)
      if (workers.get(id) !== worker) yield `${target} told how Delivery ${id} of another ended`;
  }
  const ends = lives.flatMap(({ reported }) => reported);
  for (const [id, count] of countBy(ends, (end) => end))
    if (count > 1) yield `it was told ${count} times how Delivery ${id} ended`;
  const known = new Set(lives.map(({ worker }) => worker));
  for (const { _id, worker } of deliveries) {
    if (worker !== undefined && !known.has(worker)) yield `Delivery ${_id} is of a process that never was`;
  }
}

/** @returns a line for each promise that was broken */
export const judge = (evidence: Evidence): string[] => [
  ...judgeEvents(evidence),
  ...judgeAnswers(evidence),
  ...judgePairs(evidence),
  ...judgeSeen(evidence),
  ...judgeWorkers(evidence),
  ...judgeOutcomes(evidence),
  ...judgeDisablings(evidence),
  ...judgeBulks(evidence),
];
