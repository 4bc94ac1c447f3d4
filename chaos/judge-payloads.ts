import type { Evidence, StoredDelivery } from './evidence.ts';
import { freeTime, hindrancesOf, isDispatcher } from './history.ts';
import { attemptAt } from './judge-disablings.ts';
import { KNOWLEDGE, STORING } from './limits.ts';
import type { PayloadChange } from './operator.ts';

/**
 * Checks that each attempt sent the payload that its subscription had then, that the stored delivery names it, and that
 * nothing else was sent.
 */
export function* judgePayloads({ deliveries, payloadChanges, seen, downs }: Evidence): Generator<string> {
  const hindrances = hindrancesOf(downs, isDispatcher);
  const changesOf = Map.groupBy(payloadChanges, ({ subscriptionId }) => subscriptionId);
  /** The payloads that an attempt may send; undefined if it may be any, because no change was done for certain. */
  const allowed = (delivery: StoredDelivery): PayloadChange['payload'][] | undefined => {
    const own = changesOf.get(delivery.subscriptionId) ?? [];
    const isKnown = ({ by }: PayloadChange) =>
      freeTime(hindrances, by, attemptAt(delivery)) > KNOWLEDGE + STORING;
    const last = own.findLastIndex(isKnown);
    if (last === -1) return undefined;
    const possible = own.slice(last).filter(({ from }) => from <= attemptAt(delivery) + STORING);
    return possible.map(({ payload }) => payload);
  };
  for (const delivery of deliveries) {
    if (delivery.payload === undefined) continue;
    const payloads = allowed(delivery);
    if (payloads !== undefined && !payloads.includes(delivery.payload))
      yield `delivery ${delivery._id} was sent with the former payload ${delivery.payload}`;
  }
  const stored = new Map(deliveries.map(({ _id, payload }) => [_id, payload]));
  for (const { deliveryId, receiver, payload } of seen) {
    const named = stored.get(deliveryId);
    if (payload === undefined || named === undefined || payload === named) continue;
    yield `${receiver} got delivery ${deliveryId} with the payload ${payload}, which is stored as ${named}`;
  }
}
