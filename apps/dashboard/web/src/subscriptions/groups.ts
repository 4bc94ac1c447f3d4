import type { WebhookSubscription } from '@chairside/client';
import { stateText } from './states.ts';

type Grouped = Pick<WebhookSubscription, 'url' | 'events'>;

const keyOf = ({ url, events }: Grouped): string => JSON.stringify([url, [...new Set(events)].sort()]);

/** Subscriptions with the same URL and events: usually one for each clinic. Each group is where its first member is. */
export const groupsOf = <S extends Grouped>(subscriptions: readonly S[]): { key: string; members: S[] }[] =>
  [...Map.groupBy(subscriptions, keyOf)].map(([key, members]) => ({ key, members }));

/**
 * A name for each subscription, by its id: the URL and, if several have it, also the clinic and the state, and the end of
 * the id if that is not enough.
 *
 * @param clinicName returns the name of a clinic by its id
 */
export const namesOf = (
  subscriptions: readonly WebhookSubscription[],
  clinicName: (id: string) => string,
): Map<string, string> => {
  const unique = (
    members: readonly WebhookSubscription[],
    [nameOf, ...finer]: ((subscription: WebhookSubscription) => string)[],
  ): [string, string][] =>
    [...Map.groupBy(members, (each) => nameOf?.(each) ?? each._id)].flatMap(([name, same]) =>
      same.length === 1 || finer.length === 0
        ? same.map(({ _id }): [string, string] => [_id, name])
        : unique(same, finer),
    );
  const withState = (each: WebhookSubscription) =>
    `${each.url} (${clinicName(each.clinicId)}, ${stateText(each).toLowerCase()})`;
  return new Map(
    unique(subscriptions, [
      ({ url }) => url,
      withState,
      (each) => `${withState(each)} …${each._id.slice(-4)}`,
    ]),
  );
};

/** The events of a subscription, in words. */
export const eventsText = ({ events }: Pick<Grouped, 'events'>): string =>
  events.length === 0 ? 'all events' : events.join(', ');
