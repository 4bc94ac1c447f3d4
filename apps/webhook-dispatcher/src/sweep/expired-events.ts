import type { EventLog } from '@chairside/mongodb/dispatch';
import type { SweepPart } from './part.ts';

/** Maximum number of events that one step looks at. */
const MAX_EVENTS = 500;

export type ExpiredEventsOptions = { events: Pick<EventLog, 'expire'> };

/** Deletes events whose 30 days are over and that have no delivery left. */
export const expiredEvents = ({ events }: ExpiredEventsOptions): SweepPart => ({
  name: 'expired',
  async round({ now, mayContinue }) {
    let expired = 0;
    let deleted: number;
    do {
      deleted = await events.expire(now(), MAX_EVENTS);
      expired += deleted;
    } while (deleted > 0 && mayContinue());
    return expired;
  },
});
