type Attempt = { eventId: string; subscriptionId: string };

/** The same deliveries with those of one event for one subscription together, at the place of the first of them. */
export const together = <Delivery extends Attempt>(deliveries: readonly Delivery[]): Delivery[] =>
  [
    ...Map.groupBy(deliveries, ({ eventId, subscriptionId }) => `${eventId} ${subscriptionId}`).values(),
  ].flat();
