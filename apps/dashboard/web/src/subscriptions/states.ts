import type { WebhookSubscription } from '@chairside/client';

type State = WebhookSubscription['state'];

/** The states that need attention, the most urgent first. */
const TROUBLED: readonly State[] = ['disabled', 'slowed', 'failing', 'recovering'];

/** Whether a person should look at the subscription. */
export const needsAttention = ({ state }: { state: State }): boolean => TROUBLED.includes(state);

/** Compares two subscriptions that need attention: the more urgent one comes first. */
export const byUrgency = (one: { state: State }, other: { state: State }): number =>
  TROUBLED.indexOf(one.state) - TROUBLED.indexOf(other.state);
