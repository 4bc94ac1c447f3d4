import type { WebhookDelivery } from '@chairside/client';

/** The outcome of a delivery in words. */
export const OUTCOMES: Readonly<Record<WebhookDelivery['outcome'], string>> = {
  queued: 'Queued',
  sending: 'Sending',
  succeeded: 'Succeeded',
  failed: 'Failed',
  skipped: 'Skipped',
  interrupted: 'Interrupted',
};

/** The cause of a failed or skipped delivery in words. */
export const CAUSES: Readonly<Record<NonNullable<WebhookDelivery['cause']>, string>> = {
  dns: 'Name lookup failed',
  connect: 'No connection',
  tls: 'TLS failed',
  timeout: 'Timed out',
  reset: 'Connection closed',
  status: 'Refused by status',
  redirect: 'Redirected',
  blocked_address: 'Address blocked',
  protocol: 'Invalid response',
  configuration: 'Unusable subscription',
  subscription_disabled: 'Subscription disabled',
  subscription_gone: 'Subscription deleted',
  event_gone: 'Event expired',
};
