import type { WebhookDelivery } from '@chairside/client';
import { isUnsuccessful } from './unsuccessful.ts';

type Attempt = { eventId: string; subscriptionId: string };

const keyOf = ({ eventId, subscriptionId }: Attempt): string => `${eventId} ${subscriptionId}`;

/** The same deliveries with those of one event for one subscription together, at the place of the first of them. */
export const together = <Delivery extends Attempt>(deliveries: readonly Delivery[]): Delivery[] =>
  [...Map.groupBy(deliveries, keyOf).values()].flat();

/**
 * The ids of the deliveries without success of which a later redelivery among these succeeded. A redelivery on another
 * page of the list is not known.
 */
export const repairedIn = (
  deliveries: readonly Pick<
    WebhookDelivery,
    '_id' | 'eventId' | 'subscriptionId' | 'kind' | 'outcome' | 'createdTime'
  >[],
): Set<string> => {
  const repairs = Map.groupBy(
    deliveries.filter(({ kind, outcome }) => kind === 'redelivery' && outcome === 'succeeded'),
    keyOf,
  );
  const isRepaired = (each: (typeof deliveries)[number]) =>
    repairs.get(keyOf(each))?.some(({ createdTime }) => createdTime >= each.createdTime) ?? false;
  return new Set(deliveries.filter((each) => isUnsuccessful(each) && isRepaired(each)).map(({ _id }) => _id));
};
