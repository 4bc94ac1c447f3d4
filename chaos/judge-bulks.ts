import type { Evidence, StoredBulk, StoredDelivery } from './evidence.ts';
import { freeTime, hindrancesOf, isDispatcher } from './history.ts';
import { STORING } from './limits.ts';

const timeOf = (time: Date | undefined): number => time?.getTime() ?? 0;
const idOf = ({ _id }: StoredDelivery, bulk: StoredBulk): string => `${_id}-${bulk._id}`;

/** What was asked for is there as it was asked for, once; nobody has asked for anything else. */
function* judgeAsked({ bulks, storedBulks }: Evidence): Generator<string> {
  const keyOf = (subscriptionId: string, since: Date | string) =>
    `${subscriptionId} ${new Date(since).toISOString()}`;
  const stored = Map.groupBy(storedBulks, ({ subscriptionId, since }) => keyOf(subscriptionId, since));
  for (const { subscriptionId, since, outcomes, id, refusal } of bulks) {
    const key = keyOf(subscriptionId, since);
    const made = stored.get(key) ?? [];
    stored.delete(key);
    if (made.length > 1) yield `a redelivery of many was begun ${made.length} times: ${key}`;
    if (refusal !== undefined) yield `a redelivery of many was refused: ${refusal}`;
    if (id !== undefined && made[0]?._id !== id) yield `a redelivery of many is not there: ${id}`;
    if (made.some((each) => each.outcomes.join() !== outcomes.join()))
      yield `a redelivery of many is another than was asked for: ${key}`;
  }
  for (const key of stored.keys()) yield `a redelivery of many that nobody asked for: ${key}`;
}

/** Each Delivery that a redelivery of many means was sent again by it, once, and none that it does not mean. */
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
    if (state !== 'done') yield `redelivery ${_id} of many is ${state}`;
    if (gone > 0) yield `redelivery ${_id} of many says that ${gone} events are gone`;
    const inTime = (sources.get(subscriptionId) ?? []).filter(
      (source) => source.createdTime >= since && source.createdTime < until,
    );
    let count = 0;
    for (const source of inTime) {
      const redelivery = byId.get(idOf(source, bulk));
      const endedAt = timeOf(source.finalTime);
      const isMeant = outcomes.includes(source.status);
      if (redelivery === undefined) {
        // What has ended since, or was stored so late that it was not there to be read, it does not mean.
        if (isMeant && freeTime(hindrances, endedAt, timeOf(createdTime)) > STORING)
          yield `redelivery ${_id} of many left out Delivery ${source._id} (${source.status})`;
        continue;
      }
      count++;
      explained.add(redelivery._id);
      // Whoever was taken for dead may have told its end later.
      const isCorrected = outcomes.includes('interrupted') && endedAt >= timeOf(redelivery.createdTime);
      if (!isMeant && !isCorrected)
        yield `redelivery ${_id} of many has sent again Delivery ${source._id}, which is ${source.status}`;
    }
    if (count < made) yield `redelivery ${_id} of many says that it made ${made}, and made ${count}`;
  }

  for (const delivery of deliveries) {
    const { _id, kind, redeliveryOf = '', eventId, subscriptionId } = delivery;
    if (kind !== 'redelivery') continue;
    const source = byId.get(redeliveryOf);
    if (source?.eventId !== eventId || source.subscriptionId !== subscriptionId)
      yield `redelivery ${_id} is of another Delivery than ${redeliveryOf}`;
    if (!explained.has(_id) && !repeated.includes(redeliveryOf)) yield `nobody asked for redelivery ${_id}`;
  }
}
