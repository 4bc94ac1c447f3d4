import type { WebhookDelivery } from '@chairside/client';

/** The final outcomes of deliveries that did not arrive. Recover and Redeliver send these again. */
export const UNSUCCESSFUL = [
  'failed',
  'skipped',
  'interrupted',
] as const satisfies WebhookDelivery['outcome'][];

const all: readonly WebhookDelivery['outcome'][] = UNSUCCESSFUL;

/** Whether a delivery did not arrive, and will not. */
export const isUnsuccessful = ({ outcome }: Pick<WebhookDelivery, 'outcome'>): boolean =>
  all.includes(outcome);
