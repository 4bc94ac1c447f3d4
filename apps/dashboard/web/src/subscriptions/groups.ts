import type { WebhookSubscription } from '@chairside/client';

type Grouped = Pick<WebhookSubscription, 'url' | 'events'>;

const keyOf = ({ url, events }: Grouped): string => JSON.stringify([url, [...new Set(events)].sort()]);

/** Subscriptions with the same URL and events: usually one for each clinic. Each group is where its first member is. */
export const groupsOf = <S extends Grouped>(subscriptions: readonly S[]): { key: string; members: S[] }[] =>
  [...Map.groupBy(subscriptions, keyOf)].map(([key, members]) => ({ key, members }));

/** The events of a subscription, in words. */
export const eventsText = ({ events }: Pick<Grouped, 'events'>): string =>
  events.length === 0 ? 'all events' : events.join(', ');
