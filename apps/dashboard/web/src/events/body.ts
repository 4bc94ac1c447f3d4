import type { ChairsideEvent, WebhookSubscription } from '@chairside/client';
import { idsOnly } from '@chairside/webhook-request/body';
import { visibleText } from '../components/texts/visible-text.ts';

/** Reconstructs the body of the webhook from an event of the log. Characters that would hide text are escaped. */
export const bodyOf = (
  { clinicIds, loggedTime, ...sent }: ChairsideEvent,
  payload: WebhookSubscription['payload'] = 'full',
): string => {
  const body = JSON.stringify(sent);
  const shown = JSON.parse(payload === 'ids' ? idsOnly(body) : body);
  return visibleText(JSON.stringify(shown, null, 2));
};
