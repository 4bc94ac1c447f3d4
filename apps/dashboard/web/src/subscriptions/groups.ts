import type { WebhookSubscription } from '@chairside/client';
import { byName } from '../language.ts';
import { byUrgency, needsAttention, stateText } from './states.ts';

type Grouped = Pick<WebhookSubscription, 'url' | 'events'>;

const likeOf = ({ url, events }: Grouped): string => JSON.stringify([url, [...new Set(events)].sort()]);

/** Subscriptions with the same URL, events and state: usually one for each clinic. */
export type Group = {
  key: string;
  members: WebhookSubscription[];
  /** How many others have the same URL and events, and need attention. */
  troubled: number;
};

/**
 * The subscriptions that need attention one by one, the most urgent first, and the others in groups, in the order of
 * their URLs.
 *
 * @param clinicName returns the name of a clinic by its id
 */
export const arranged = (
  subscriptions: readonly WebhookSubscription[],
  clinicName: (id: string) => string,
): { troubled: WebhookSubscription[]; groups: Group[] } => {
  const troubled = subscriptions.filter(needsAttention).toSorted(byUrgency);
  const troubledLike = Map.groupBy(troubled, likeOf);
  const others = subscriptions
    .filter((each) => !needsAttention(each))
    .toSorted(
      (one, other) =>
        byName(one.url, other.url) || byName(clinicName(one.clinicId), clinicName(other.clinicId)),
    );
  const groups = Map.groupBy(others, (each) => `${stateText(each)} ${likeOf(each)}`);
  return {
    troubled,
    groups: [...groups].map(([key, members]) => ({
      key,
      members,
      troubled: members[0] === undefined ? 0 : (troubledLike.get(likeOf(members[0]))?.length ?? 0),
    })),
  };
};

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
