import type { Evidence, StoredBulk, StoredDelivery } from './evidence.ts';
import { type Down, freeTime, hindrancesOf, isDispatcher } from './history.ts';
import { STORING } from './limits.ts';

const timeOf = (time: Date | undefined): number => time?.getTime() ?? 0;
const idOf = ({ _id }: StoredDelivery, bulk: StoredBulk): string => `${_id}-${bulk._id}`;

/**
 * Checks that no bulk redelivery is missing, was started twice, was refused, differs from its request, or was not
 * requested.
 */
function* judgeAsked({ bulks, storedBulks }: Evidence): Generator<string> {
  const keyOf = (subscriptionId: string, since: Date | string) =>
    `${subscriptionId} ${new Date(since).toISOString()}`;
  const stored = Map.groupBy(storedBulks, ({ subscriptionId, since }) => keyOf(subscriptionId, since));
  for (const { subscriptionId, since, outcomes, id, refusal } of bulks) {
    const key = keyOf(subscriptionId, since);
    const made = stored.get(key) ?? [];
    stored.delete(key);
    if (made.length > 1) yield `bulk redelivery was started ${made.length} times: ${key}`;
    if (refusal !== undefined) yield `bulk redelivery was refused: ${refusal}`;
    if (id !== undefined && made[0]?._id !== id) yield `bulk redelivery is missing: ${id}`;
    if (made.some((each) => each.outcomes.join() !== outcomes.join()))
      yield `bulk redelivery differs from its request: ${key}`;
  }
  for (const key of stored.keys()) yield `bulk redelivery was not requested: ${key}`;
}

/** The deliveries of a run, and the periods that may delay a bulk redelivery. */
type Facts = {
  byId: ReadonlyMap<string, StoredDelivery>;
  /** The deliveries of events in the range of a bulk redelivery. */
  sourcesOf(bulk: StoredBulk): StoredDelivery[];
  hindrances: readonly Down[];
};

const factsOf = ({ deliveries, downs }: Evidence): Facts => {
  const ofEvents = deliveries.filter(({ kind }) => kind === 'event');
  const bySubscription = Map.groupBy(ofEvents, ({ subscriptionId }) => subscriptionId);
  return {
    byId: new Map(deliveries.map((delivery) => [delivery._id, delivery])),
    sourcesOf: ({ subscriptionId, since, until }) =>
      (bySubscription.get(subscriptionId) ?? []).filter(
        ({ createdTime }) => createdTime >= since && createdTime < until,
      ),
    hindrances: hindrancesOf(downs, isDispatcher),
  };
};

/**
 * Checks whether a bulk redelivery was right to redeliver a delivery in its range, or to leave it out. Returns the
 * problem; undefined if there is none.
 */
const judgeChoice = (
  { outcomes, createdTime }: StoredBulk,
  source: StoredDelivery,
  redelivery: StoredDelivery | undefined,
  hindrances: readonly Down[],
): string | undefined => {
  const endedAt = timeOf(source.finalTime);
  const isMeant = outcomes.includes(source.status);
  if (redelivery === undefined) {
    // A bulk redelivery does not select deliveries that ended after its request, or that were stored too late to be
    // read.
    const isExcused = !isMeant || freeTime(hindrances, endedAt, timeOf(createdTime)) <= STORING;
    return isExcused ? undefined : `left out delivery ${source._id} (${source.status})`;
  }
  // A process that counted as dead may have stored the outcome later.
  const isCorrected = outcomes.includes('interrupted') && endedAt >= timeOf(redelivery.createdTime);
  return isMeant || isCorrected
    ? undefined
    : `has sent delivery ${source._id} again, which is ${source.status}`;
};

/**
 * Checks that a bulk redelivery has ended, has redelivered exactly the deliveries that it selects, and reports neither
 * deleted events nor more redeliveries than it created.
 */
function* judgeBulk(bulk: StoredBulk, { byId, sourcesOf, hindrances }: Facts): Generator<string> {
  const { _id, state, made, gone } = bulk;
  if (state !== 'done') yield `bulk redelivery ${_id} is ${state}`;
  if (gone > 0) yield `bulk redelivery ${_id} reports ${gone} deleted events`;
  let count = 0;
  for (const source of sourcesOf(bulk)) {
    const redelivery = byId.get(idOf(source, bulk));
    if (redelivery !== undefined) count++;
    const problem = judgeChoice(bulk, source, redelivery, hindrances);
    if (problem !== undefined) yield `bulk redelivery ${_id} ${problem}`;
  }
  if (count < made) yield `bulk redelivery ${_id} reports ${made} redeliveries, but created ${count}`;
}

/**
 * Checks that every redelivery repeats its original, and was requested individually or as a part of a bulk redelivery.
 */
function* judgeRedeliveries(
  { deliveries, storedBulks, repeated }: Evidence,
  { byId, sourcesOf }: Facts,
): Generator<string> {
  const ofBulks = new Set(storedBulks.flatMap((bulk) => sourcesOf(bulk).map((source) => idOf(source, bulk))));
  for (const delivery of deliveries) {
    const { _id, kind, redeliveryOf = '', eventId, subscriptionId } = delivery;
    if (kind !== 'redelivery') continue;
    const source = byId.get(redeliveryOf);
    if (source?.eventId !== eventId || source.subscriptionId !== subscriptionId)
      yield `redelivery ${_id} does not match its original ${redeliveryOf}`;
    if (!ofBulks.has(_id) && !repeated.includes(redeliveryOf)) yield `redelivery was not requested: ${_id}`;
  }
}

/**
 * Checks that every bulk redelivery was requested and has redelivered exactly the deliveries that it selects, and that
 * every single redelivery was requested.
 */
export function* judgeBulks(evidence: Evidence): Generator<string> {
  const facts = factsOf(evidence);
  yield* judgeAsked(evidence);
  for (const bulk of evidence.storedBulks) yield* judgeBulk(bulk, facts);
  yield* judgeRedeliveries(evidence, facts);
}
