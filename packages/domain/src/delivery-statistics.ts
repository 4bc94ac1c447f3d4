import { z } from 'zod';
import { clinicId, idOf, timeOf } from './fields.ts';

/**
 * The upper bounds of the first 23 duration buckets; the 24th bucket contains all longer durations. The bounds never
 * change, so that the counts of several hours can be added up.
 */
export const DURATION_BOUNDS_MS = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 4000, 5000,
] as const;
export const DURATION_BUCKETS = DURATION_BOUNDS_MS.length + 1;

/** The longest period of one request for statistics, in days. */
export const MAX_STATISTICS_DAYS = 30;

const count = (outcome: string) =>
  z.int().meta({ description: `Deliveries with the outcome \`${outcome}\`.`, examples: [1] });

/** The counts of the deliveries of kind `event` of one subscription that became final in one hour. */
export const deliveryStatisticsSchema = z
  .object({
    hour: timeOf('The beginning of the hour.', '2030-01-31T09:00:00.000Z'),
    clinicId,
    subscriptionId: idOf('the subscription', '01JB000000000000SVBSCR1PT0'),
    succeeded: count('succeeded'),
    failed: count('failed'),
    skipped: count('skipped'),
    interrupted: count('interrupted'),
    causes: z.record(z.string(), z.int()).meta({
      description: 'The deliveries with a `cause`, by cause. Causes without deliveries are absent.',
      examples: [{ timeout: 1 }],
    }),
    durations: z
      .array(z.int())
      .length(DURATION_BUCKETS)
      .meta({
        description: `The attempts by duration: the number of attempts that took at most ${DURATION_BOUNDS_MS.join(', ')} ms and longer than the bound before, then the number of longer attempts. To merge hours, add up the numbers of each place.`,
        examples: [[0, 0, 0, 0, 0, 0, 0, 1, 1, ...Array(DURATION_BUCKETS - 9).fill(0)]],
      }),
    complete: z.boolean().meta({
      description:
        'Whether the hour is closed. If not, the row counts only deliveries among the newest 10,000 of the organization, or of the subscription that the request names. An hour is closed five minutes after its end. It can still change if an outcome becomes known later.',
      examples: [true],
    }),
  })
  .meta({
    id: 'WebhookStatisticsRow',
    description:
      'The deliveries of kind `event` of one subscription that became final in one hour, by outcome and duration.',
  });
export type DeliveryStatistics = z.infer<typeof deliveryStatisticsSchema>;
