import type { Evidence, StoredBulk, StoredDelivery } from './evidence.ts';
import { freeTime, hindrancesOf, isDispatcher } from './history.ts';
import { STORING } from './limits.ts';

const timeOf = (time: Date | undefined): number => time?.getTime() ?? 0;
const idOf = ({ _id }: StoredDelivery, bulk: StoredBulk): string => `${_id}-${bulk._id}`;

/** Every requested bulk redelivery is stored once, as requested, and there are no others. */
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

/** Every bulk redelivery has sent each delivery in its range exactly once, and no other delivery. */
export function* judgeBulks(evidence: Evidence): Generator<string> {
  yield* judgeAsked(evidence);
  const { storedBulks, deliveries, downs, repeated } = evidence;
  const hindrances = hindrancesOf(downs, isDispatcher);
  const byId = new Map(deliveries.map((delivery) => [delivery._id, delivery]));
  const sources = Map.groupBy(
    deliveries.filter(({ kind }) => kind === 'event'),
    ({ subscriptionId }) => subscriptionId,
  );
  const explained = new Set<string>();

  for (const bulk of storedBulks) {
    const { _id, subscriptionId, since, until, outcomes, state, made, gone, createdTime } = bulk;
    if (state !== 'done') yield `bulk redelivery ${_id} is ${state}`;
    if (gone > 0) yield `bulk redelivery ${_id} reports ${gone} deleted events`;
    const inTime = (sources.get(subscriptionId) ?? []).filter(
      (source) => source.createdTime >= since && source.createdTime < until,
    );
    let count = 0;
    for (const source of inTime) {
      const redelivery = byId.get(idOf(source, bulk));
      const endedAt = timeOf(source.finalTime);
      const isMeant = outcomes.includes(source.status);
      if (redelivery === undefined) {
        // A bulk redelivery does not select deliveries that ended after its request, or that were stored too
        // late to be read.
        if (isMeant && freeTime(hindrances, endedAt, timeOf(createdTime)) > STORING)
          yield `bulk redelivery ${_id} left out delivery ${source._id} (${source.status})`;
        continue;
      }
      count++;
      explained.add(redelivery._id);
      // A process that counted as dead may have stored the outcome later.
      const isCorrected = outcomes.includes('interrupted') && endedAt >= timeOf(redelivery.createdTime);
      if (!isMeant && !isCorrected)
        yield `bulk redelivery ${_id} has sent delivery ${source._id} again, which is ${source.status}`;
    }
    if (count < made) yield `bulk redelivery ${_id} reports ${made} redeliveries, but created ${count}`;
  }

  for (const delivery of deliveries) {
    const { _id, kind, redeliveryOf = '', eventId, subscriptionId } = delivery;
    if (kind !== 'redelivery') continue;
    const source = byId.get(redeliveryOf);
    if (source?.eventId !== eventId || source.subscriptionId !== subscriptionId)
      yield `redelivery ${_id} does not match its original ${redeliveryOf}`;
    if (!explained.has(_id) && !repeated.includes(redeliveryOf)) yield `redelivery was not requested: ${_id}`;
  }
}
