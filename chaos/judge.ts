import type { Evidence, LoggedEvent } from './evidence.ts';
import { judgeBookings } from './judge-bookings.ts';
import { judgeBulks } from './judge-bulks.ts';
import { judgeDisablings } from './judge-disablings.ts';
import { judgeNotices } from './judge-notices.ts';
import { judgeOutcomes } from './judge-outcomes.ts';
import { judgePacing } from './judge-pacing.ts';
import { judgePayloads } from './judge-payloads.ts';
import { judgeReplacements } from './judge-replacements.ts';
import { judgeSync } from './judge-sync.ts';

const countBy = <T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, number> =>
  new Map(Array.from(Map.groupBy(items, keyOf), ([key, own]) => [key, own.length]));

/**
 * Checks that every write with a response of 200 has one event, that no creation was executed twice, and that no event
 * is unpublished.
 */
function* judgeEvents({ acknowledged, creations, events, unpublished }: Evidence): Generator<string> {
  const dataOf = ({ body }: LoggedEvent) => JSON.parse(body).data;
  const written = countBy(
    events,
    (event) => `${event.event} ${event.about[0]} ${dataOf(event).lastEditTime}`,
  );
  for (const { event, recordId, lastEditTime } of acknowledged) {
    const key = `${event} ${recordId} ${lastEditTime}`;
    if (!written.has(key)) yield `a write got 200 and has no event: ${key}`;
  }
  for (const [key, count] of written) if (count > 1) yield `a write has ${count} events: ${key}`;

  const created = events.filter(({ event }) => event.endsWith('.created')).map(dataOf);
  const made = countBy(created, ({ name, reminders }) => name ?? reminders?.[0]?.mark ?? '');
  for (const { mark, isAcknowledged } of creations) {
    const count = made.get(mark) ?? 0;
    if (count > 1) yield `one creation created ${count} records: ${mark}`;
    if (isAcknowledged && count === 0) yield `a creation got 200 and has no event: ${mark}`;
  }
  if (unpublished > 0) yield `${unpublished} records have unpublished events`;
}

/** Checks that what identifies a patient is stored encrypted. */
function* judgeLeaks({ leaks }: Evidence): Generator<string> {
  for (const leak of leaks) yield `the database or a mail shows what identifies a patient: ${leak}`;
}

/**
 * Checks that no response has a 5xx status other than 503. The api returns 503 while a part is down. A 500 is a fault
 * of the api.
 */
function* judgeResponses({ refused }: Evidence): Generator<string> {
  for (const { request, status = 0, requestId } of refused) {
    if (status >= 500 && status !== 503) yield `${request} got ${status}: request ${requestId}`;
  }
}

/**
 * Checks that every event has exactly one delivery of kind `event` for each subscription of its clinics, or for one of
 * those that replace each other, that there are no others, and that every delivery that the operator requested is stored.
 */
function* judgePairs({ events, deliveries, subscriptions, requested }: Evidence): Generator<string> {
  const ofEvents = deliveries.filter(({ kind }) => kind === 'event');
  const chains = new Map(subscriptions.map(({ _id, chainId }) => [_id, chainId]));
  const pairs = countBy(
    ofEvents,
    ({ eventId, subscriptionId }) => `${eventId} ${chains.get(subscriptionId)}`,
  );
  for (const { _id, clinicIds } of events) {
    for (const { _id: subscriptionId, chainId, clinicId, receiver } of subscriptions) {
      if (!clinicIds.includes(clinicId) || subscriptionId !== chainId) continue;
      const pair = `${_id} ${chainId}`;
      const count = pairs.get(pair) ?? 0;
      if (count !== 1) yield `event ${_id} has ${count} deliveries for ${receiver}`;
      pairs.delete(pair);
    }
  }
  for (const pair of pairs.keys()) yield `a delivery without a matching event and subscription: ${pair}`;
  const ids = new Set(deliveries.map(({ _id }) => _id));
  for (const id of requested)
    if (!ids.has(id)) yield `a delivery that the operator requested is missing: ${id}`;
}

/**
 * Checks that no receiver saw a delivery twice, a delivery that is not stored, a delivery of another receiver, or a
 * redirected request.
 */
function* judgeSeen({ seen, deliveries, subscriptions }: Evidence): Generator<string> {
  const receivers = new Map(subscriptions.map(({ _id, receiver }) => [_id, receiver]));
  const byId = new Map(deliveries.map((delivery) => [delivery._id, delivery]));
  for (const [id, count] of countBy(seen, ({ deliveryId }) => deliveryId)) {
    if (count > 1) yield `receivers saw delivery ${id} ${count} times`;
  }
  for (const { deliveryId, receiver, path } of seen) {
    const delivery = byId.get(deliveryId);
    if (delivery === undefined) yield `${receiver} saw delivery ${deliveryId}, which is not stored`;
    else if (receivers.get(delivery.subscriptionId) !== receiver)
      yield `${receiver} saw a delivery of another receiver`;
    if (path !== '/hook') yield `${receiver} got a request for ${path}`;
  }
}

/**
 * Checks that each delivery names the process that claimed it, and that only this process has logged its outcome, once.
 */
function* judgeWorkers({ lives, deliveries }: Evidence): Generator<string> {
  const workers = new Map(deliveries.map(({ _id, worker }) => [_id, worker]));
  for (const { target, worker, reported } of lives) {
    for (const id of reported)
      if (workers.get(id) !== worker)
        yield `${target} logged the outcome of delivery ${id}, which another process claimed`;
  }
  const ends = lives.flatMap(({ reported }) => reported);
  for (const [id, count] of countBy(ends, (end) => end))
    if (count > 1) yield `the outcome of delivery ${id} was logged ${count} times`;
  const known = new Set(lives.map(({ worker }) => worker));
  for (const { _id, worker } of deliveries) {
    if (worker !== undefined && !known.has(worker)) yield `delivery ${_id} names an unknown process`;
  }
}

/** @returns a line for each violation */
export const judge = (evidence: Evidence): string[] => [
  ...judgeEvents(evidence),
  ...judgeLeaks(evidence),
  ...judgeResponses(evidence),
  ...judgePairs(evidence),
  ...judgeSeen(evidence),
  ...judgeWorkers(evidence),
  ...judgeOutcomes(evidence),
  ...judgeDisablings(evidence),
  ...judgePacing(evidence),
  ...judgeBulks(evidence),
  ...judgeReplacements(evidence),
  ...judgePayloads(evidence),
  ...judgeBookings(evidence),
  ...judgeSync(evidence),
  ...judgeNotices(evidence),
];
