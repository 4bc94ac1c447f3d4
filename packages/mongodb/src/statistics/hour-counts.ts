import { DURATION_BOUNDS_MS, DURATION_BUCKETS } from '@chairside/domain';
import type { Document } from 'mongodb';

export const HOUR = 60 * 60 * 1000;

/** The beginning of the hour that contains this time. */
export const hourOf = (time: Date): Date => new Date(Math.floor(time.getTime() / HOUR) * HOUR);

/** The counts of the deliveries of one subscription in one hour. */
export type HourCounts = {
  succeeded: number;
  failed: number;
  skipped: number;
  interrupted: number;
  causes: Record<string, number>;
  durations: number[];
};

export const noCounts = (): HourCounts => ({
  succeeded: 0,
  failed: 0,
  skipped: 0,
  interrupted: 0,
  causes: {},
  durations: Array(DURATION_BUCKETS).fill(0),
});

/** A group of deliveries that are counted together. */
export type CountedGroup = {
  _id: {
    subscriptionId: string;
    /** The beginning of the hour, in the format of `Date.toISOString`. */
    hour: string;
    status: keyof Omit<HourCounts, 'causes' | 'durations'>;
    /** The `cause` that the deliveries have in common; empty if they have none. */
    cause: string;
    /** The index of the duration bucket; -1 if there was no attempt. */
    bucket: number;
  };
  organizationId: string;
  clinicId: string;
  count: number;
};

/** Matches the deliveries that are counted: final ones, except redeliveries and tests. */
export const isCounted = {
  kind: 'event' as const,
  status: { $in: ['succeeded' as const, 'failed' as const, 'skipped' as const, 'interrupted' as const] },
};

/** The stage of an aggregation that counts deliveries by `CountedGroup`. */
export const countStage: Document = {
  $group: {
    _id: {
      subscriptionId: '$subscriptionId',
      hour: { $dateToString: { date: '$finalTime', format: '%Y-%m-%dT%H:00:00.000Z' } },
      status: '$status',
      cause: { $ifNull: ['$cause', ''] },
      bucket: {
        $cond: [
          // In MongoDB, an absent duration is less than every number. With the cause `configuration`, nothing was
          // sent.
          { $and: [{ $gte: ['$duration', 0] }, { $ne: ['$cause', 'configuration'] }] },
          {
            $size: {
              $filter: {
                input: { $literal: [...DURATION_BOUNDS_MS] },
                as: 'bound',
                cond: { $lt: ['$$bound', '$duration'] },
              },
            },
          },
          -1,
        ],
      },
    },
    organizationId: { $first: '$organizationId' },
    clinicId: { $first: '$clinicId' },
    count: { $sum: 1 },
  },
};

/** Adds a group to the counts of its hour. */
export const addGroup = (
  counts: HourCounts,
  { _id: { status, cause, bucket }, count }: CountedGroup,
): void => {
  counts[status] += count;
  if (cause !== '') counts.causes[cause] = (counts.causes[cause] ?? 0) + count;
  if (bucket >= 0) counts.durations[bucket] = (counts.durations[bucket] ?? 0) + count;
};
