import type { WebhookSubscription } from '@chairside/client';
import { STATES } from '@chairside/client/words';

type State = WebhookSubscription['state'];

/** The states that need attention, the most urgent first. */
const TROUBLED: readonly State[] = ['disabled', 'slowed', 'failing', 'recovering'];

/** Whether a person should look at the subscription. */
export const needsAttention = ({ state }: { state: State }): boolean => TROUBLED.includes(state);

/** Compares two subscriptions that need attention: the more urgent one comes first. */
export const byUrgency = (one: { state: State }, other: { state: State }): number =>
  TROUBLED.indexOf(one.state) - TROUBLED.indexOf(other.state);

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
  subscription: Pick<WebhookSubscription, 'state' | 'active' | 'replaces'>,
): string => (waitsToReplace(subscription) ? 'Waiting to replace' : STATES[subscription.state]);
