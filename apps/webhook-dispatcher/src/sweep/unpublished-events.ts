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
    /** The organizations whose records this round has found. */
    const served = new Set<string>();
    let published = 0;
    for (let queries = 1; ; queries++) {
      const overdue = await outbox.overdue(ago(PUBLISH_GRACE_MS), MAX_RECORDS, {
        records: publisher.inHand(),
        organizations: [...publisher.full(), ...served],
      });
      for (let from = 0; from < overdue.length && (from === 0 || mayContinue()); from += RECORDS_AT_ONCE) {
        const group = overdue.slice(from, from + RECORDS_AT_ONCE);
        await Promise.all(group.map(publisher.publish));
        published += group.length;
      }
      // The oldest records may all be of one organization, so the others get a second query, however slow the first was.
      if (overdue.length < MAX_RECORDS || (queries > 1 && !mayContinue())) return published;
      for (const { organizationId } of overdue) served.add(organizationId);
    }
  },
});
