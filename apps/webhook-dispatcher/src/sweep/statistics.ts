import type { DeliveryHours } from '@chairside/mongodb/dispatch';
import type { SweepPart } from './part.ts';

/** How long after its end an hour of the statistics is closed. Outcomes are usually stored within this time. */
const HOUR_GRACE_MS = 5 * 60_000;
/** Maximum number of changed deliveries whose rows are computed again in one round. */
const MAX_REOPENED = 200;

export type StatisticsOptions = { deliveryHours: DeliveryHours };

/** Closes the hours of the statistics that have ended, and computes again the rows that have changed. */
export const statistics = ({ deliveryHours }: StatisticsOptions): SweepPart => ({
  name: 'statistics',
  async round({ now, ago, mayContinue }) {
    await deliveryHours.recompute(now(), MAX_REOPENED);
    while (mayContinue() && (await deliveryHours.closeNext(ago(HOUR_GRACE_MS), now())));
    return undefined;
  },
});
