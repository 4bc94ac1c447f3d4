import type { Dispatch } from '@chairside/mongodb/dispatch';
import type { Publisher } from '../publishing/publisher.ts';
import type { SweepPart } from './part.ts';

/** The sweep publishes events that are older than this. Newer events are published through the queue. */
const PUBLISH_GRACE_MS = 3000;
/**
 * Maximum number of records of each kind that one round publishes. Without Redis, all events are published by rounds.
 */
const MAX_RECORDS = 1000;
/** How many records are published before the time and the lease are checked again. */
const RECORDS_AT_ONCE = 50;

export type UnpublishedEventsOptions = {
  outbox: Pick<Dispatch['outbox'], 'overdue'>;
  publisher: Pick<Publisher, 'publish' | 'inHand' | 'full'>;
};

/**
 * Publishes events that are overdue, for example because their job was lost, or was never added because Redis was down
 * or the api crashed.
 */
export const unpublishedEvents = ({ outbox, publisher }: UnpublishedEventsOptions): SweepPart => ({
  name: 'unpublished',
  async round({ ago, mayContinue }) {
    const overdue = await outbox.overdue(ago(PUBLISH_GRACE_MS), MAX_RECORDS, {
      records: publisher.inHand(),
      organizations: publisher.full(),
    });
    let published = 0;
    while (published < overdue.length && (published === 0 || mayContinue())) {
      const group = overdue.slice(published, published + RECORDS_AT_ONCE);
      await Promise.all(group.map(publisher.publish));
      published += group.length;
    }
    return published;
  },
});
