import type { WebhookSubscription } from '@chairside/client';
import { STATES } from '@chairside/client/words';

type State = WebhookSubscription['state'];

/** The states that need attention, the most urgent first. */
const TROUBLED: readonly State[] = ['disabled', 'slowed', 'failing', 'recovering'];

/** Whether a person should look at the subscription. */
export const needsAttention = ({ state }: { state: State }): boolean => TROUBLED.includes(state);

type Urgent = Pick<WebhookSubscription, 'state' | 'disabledTime' | 'consecutiveFailures'>;

const disabledAt = ({ disabledTime }: Urgent): number =>
  disabledTime === undefined ? 0 : Date.parse(disabledTime);

/**
 * Compares two subscriptions that need attention: the more urgent state comes first, then what has lasted longer. That
 * is the earlier time of a disabled subscription, and more failures in a row of the others.
 */
export const byUrgency = (one: Urgent, other: Urgent): number =>
  TROUBLED.indexOf(one.state) - TROUBLED.indexOf(other.state) ||
  disabledAt(one) - disabledAt(other) ||
  other.consecutiveFailures - one.consecutiveFailures;

/** Whether a subscription is to replace another one and has not been switched to, so that it gets no events yet. */
export const waitsToReplace = ({
  state,
  active,
  replaces,
}: Pick<WebhookSubscription, 'state' | 'active' | 'replaces'>): boolean =>
  replaces !== undefined && !active && state === 'new';

/** Why deliveries wait, whatever the state of their subscription. */
export const WITHHELD: Readonly<Record<NonNullable<WebhookSubscription['withheld']>, string>> = {
  host_blocked:
    'The operator of this service has blocked the host of the URL. Deliveries wait, nothing is lost, and waiting counts as no failure. Ask the operator of the service.',
};

/** The state of a subscription in words. */
export const stateText = (
  subscription: Pick<WebhookSubscription, 'state' | 'active' | 'replaces' | 'withheld'>,
): string => {
  if (subscription.withheld !== undefined) return 'Held';
  return waitsToReplace(subscription) ? 'Waiting to replace' : STATES[subscription.state];
};
