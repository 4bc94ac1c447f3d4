import type { DeliveryHours } from '@chairside/mongodb';
import type { SweepPart } from './part.ts';

/** How long after its end an hour of the statistics is closed, in milliseconds. Outcomes are stored within this time. */
const HOUR_GRACE = 5 * 60_000;
/** The most changed deliveries whose hours are computed again in one round. */
const MAX_REOPENED = 200;

export type StatisticsOptions = { deliveryHours: DeliveryHours };

/** Closes the hours of the statistics that have ended, and computes again those that have changed. */
export const statistics = ({ deliveryHours }: StatisticsOptions): SweepPart => ({
  name: 'statistics',
  async round({ now, ago, mayGoOn }) {
    await deliveryHours.recompute(now(), MAX_REOPENED);
    while (mayGoOn() && (await deliveryHours.closeNext(ago(HOUR_GRACE), now())));
    return undefined;
  },
});
