import type { Evidence, StoredDelivery } from './evidence.ts';
import { type Down, freeTime, hindrancesOf, isDispatcher } from './history.ts';
import { KNOWLEDGE, STORING } from './limits.ts';
import type { Switch } from './replacements.ts';

const createdAt = ({ createdTime }: StoredDelivery): number => createdTime.getTime();

/** Whether a dispatcher had time to learn of a switch before it created a delivery. */
const couldKnow = (hindrances: readonly Down[], { by }: Switch, delivery: StoredDelivery): boolean =>
  freeTime(hindrances, by, createdAt(delivery)) > KNOWLEDGE + STORING;

/**
 * Checks who got the events around each switch from one subscription to another, and that each delivery was signed with
 * the secret of its own subscription. `judge` checks that each event has one delivery for all of them together.
 */
export function* judgeReplacements({ deliveries, switches, downs, seen }: Evidence): Generator<string> {
  const hindrances = hindrancesOf(downs, isDispatcher);
  const ofEvents = deliveries.filter(({ kind }) => kind === 'event');
  const bySubscription = Map.groupBy(ofEvents, ({ subscriptionId }) => subscriptionId);
  for (const change of switches) {
    for (const each of bySubscription.get(change.replaced) ?? [])
      if (couldKnow(hindrances, change, each))
        yield `delivery ${each._id} was created for a subscription that had been replaced`;
    for (const each of bySubscription.get(change.subscriptionId) ?? [])
      if (createdAt(each) + KNOWLEDGE < change.from)
        yield `delivery ${each._id} was created for a replacement that was not switched to`;
  }
  const subscriptions = new Map(deliveries.map(({ _id, subscriptionId }) => [_id, subscriptionId]));
  for (const { deliveryId, receiver, isWhole, signedBy } of seen) {
    const expected = subscriptions.get(deliveryId);
    if (!isWhole || expected === undefined || (signedBy.length === 1 && signedBy[0] === expected)) continue;
    yield `${receiver} got delivery ${deliveryId} with ${signedBy.length === 0 ? 'a wrong signature' : `the signature of ${signedBy}`}`;
  }
}
