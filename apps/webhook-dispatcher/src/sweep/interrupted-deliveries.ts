import { clock } from '@chairside/domain';
import type { Deliveries } from '@chairside/mongodb/dispatch';
import type { SweepPart } from './part.ts';

/** How long a delivery may be claimed before its process counts as dead. */
const SENDING_LIFE_MS = 30_000;

export type InterruptedDeliveriesOptions = { deliveries: Pick<Deliveries, 'interrupt'> };

/**
 * Ends deliveries whose claim is too old: their process has probably crashed. It is unknown whether their webhooks
 * arrived.
 */
export const interruptedDeliveries = ({ deliveries }: InterruptedDeliveriesOptions): SweepPart => ({
  name: 'interrupted',
  round: ({ ago }) => deliveries.interrupt(ago(SENDING_LIFE_MS), clock.now()),
});
