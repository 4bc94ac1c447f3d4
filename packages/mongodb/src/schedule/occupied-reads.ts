import { createFairQueue, type FairQueue, QueueFullError } from '@chairside/concurrency';
import type { ResourceLimit } from '@chairside/domain';
import { OverloadedError } from '../driver/unavailable.ts';

/** Maximum number of calendar blocks in one read. */
export const MAX_BLOCKS = 10_000;
/** Maximum number of appointments in one read. */
export const MAX_BUSY_INTERVALS = 100_000;

/** How many rows a read may have, and the room that it takes. */
type ReadSize = { blocks: number; appointments: number };
/** Most reads are of a day or a few. The others begin again with more room. */
const SIZES: readonly ReadSize[] = [
  { blocks: 1000, appointments: 4000 },
  { blocks: 2000, appointments: 20_000 },
  { blocks: MAX_BLOCKS, appointments: MAX_BUSY_INTERVALS },
];
const MAX_HELD = 300_000;
/** Less than two of the largest reads, so that one organization cannot take the room of another's. */
const MAX_HELD_OF_ORGANIZATION = 150_000;
/** More than the requests in flight, so that no booking is refused. */
const MAX_WAITING = 1000;

const part = 'Reading';
export const occupiedReadLimits: readonly ResourceLimit[] = [
  {
    id: 'occupied_appointments',
    part,
    resource: 'Appointments that a search for free times, or the check of a booking, reads',
    value: MAX_BUSY_INTERVALS,
    unit: 'appointments',
    beyond: '400 ValidationError: ask for fewer days, or book a shorter time',
    metric: 'chairside_api_refusals_total',
  },
  {
    id: 'held_intervals',
    part,
    resource:
      'Appointments and calendar blocks that searches for free times and checks of bookings hold in memory',
    value: MAX_HELD,
    unit: 'at once in each process',
    beyond: 'the request waits; organizations take turns',
  },
  {
    id: 'held_intervals_of_organization',
    part,
    resource: 'The same, of one organization',
    value: MAX_HELD_OF_ORGANIZATION,
    unit: 'at once in each process',
    beyond: 'the request waits; organizations take turns',
  },
  {
    id: 'occupied_reads_waiting',
    part,
    resource: 'Searches for free times and checks of bookings that wait for this memory',
    value: MAX_WAITING,
    unit: 'in each process',
    beyond:
      '429 TooManyRequests for a read of an organization that has its share, otherwise 503 ServiceUnavailable',
    metric: 'chairside_api_refusals_total',
  },
];

/** Lets the readers of the times at which clinics are occupied take turns, in one process. */
export type OccupiedReads = {
  /**
   * Calls `read` when there is room for what it may read, and again with more room if it needs that.
   *
   * @param read returns undefined if there are more rows than the size allows
   * @returns undefined if there are too many rows even for the largest read
   * @throws {OverloadedError} if too many readers wait
   */
  run<T>(
    organizationId: string,
    read: (size: ReadSize) => Promise<{ found: T } | undefined>,
  ): Promise<T | undefined>;
};

export const createOccupiedReads = (): OccupiedReads => {
  const room: FairQueue = createFairQueue({
    atOnce: MAX_HELD,
    atOnceOfCaller: MAX_HELD_OF_ORGANIZATION,
    maxWaiting: MAX_WAITING,
  });
  return {
    async run(organizationId, read) {
      try {
        for (const size of SIZES) {
          const result = await room.run(organizationId, () => read(size), size.blocks + size.appointments);
          if (result !== undefined) return result.found;
        }
        return undefined;
      } catch (cause) {
        if (!(cause instanceof QueueFullError)) throw cause;
        throw new OverloadedError('Too many readers of free times wait.', { cause });
      }
    },
  };
};
