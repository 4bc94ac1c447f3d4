import type { WebhookSubscription } from '@chairside/client';

export type SubscriptionState = 'disabled' | 'failing' | 'healthy' | 'unused';

/** Returns the state of a subscription. Twenty failures in a row disable it. */
export const stateOf = ({
  active,
  consecutiveFailures,
  lastDeliveryTime,
}: Pick<WebhookSubscription, 'active' | 'consecutiveFailures' | 'lastDeliveryTime'>): SubscriptionState => {
  if (!active) return 'disabled';
  if (consecutiveFailures > 0) return 'failing';
  return lastDeliveryTime === undefined ? 'unused' : 'healthy';
};

/** The states in words. */
export const STATES: Readonly<Record<SubscriptionState, string>> = {
  disabled: 'Disabled',
  failing: 'Failing',
  healthy: 'Healthy',
  unused: 'Not used yet',
};
