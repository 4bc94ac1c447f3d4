import { type Attempt, clock, HIDDEN_VALUE, type Receiver } from '@chairside/domain';
import type { ClaimedDelivery } from '@chairside/mongodb/dispatch';
import { createWebhookSigner, idsOnly, type WebhookSigner } from '@chairside/webhook-request';
import { LRUCache } from 'lru-cache';
import { UNUSABLE } from './failure-reasons.ts';
import type { Sender } from './send.ts';

const USER_AGENT = 'Chairside-Webhooks/1.0';
const MAX_SIGNERS = 10_000;

/** The outcome of a delivery from whose stored data no request can be built. */
export const failedByConfiguration = (reason: string): Attempt => ({
  outcome: 'failed',
  cause: 'configuration',
  reason,
  attemptTime: clock.now(),
  duration: 0,
  timings: {},
});

/** The attempt without the values of the fixed headers, which a receiver may have sent back. */
const withoutHeaders = (attempt: Attempt, { headers }: Pick<Receiver, 'headers'>): Attempt => {
  const values = Object.values(headers);
  if (values.length === 0) return attempt;
  const { responseBody, responseHeaders } = attempt;
  const hidden = (text: string) =>
    values.reduce((shown, value) => shown.replaceAll(value, HIDDEN_VALUE), text);
  return {
    ...attempt,
    ...(responseBody !== undefined && { responseBody: hidden(responseBody) }),
    ...(responseHeaders !== undefined && {
      responseHeaders: Object.fromEntries(
        Object.entries(responseHeaders).map(([name, value]) => [name, hidden(value)]),
      ),
    }),
  };
};

/**
 * Signs the body of a delivery, as the payload of the subscription says, and makes one POST request.
 *
 * @param body the stored body of the event, with the whole record
 */
export type Post = (delivery: ClaimedDelivery, receiver: Receiver, body: string) => Promise<Attempt>;

export const createPost = (sender: Pick<Sender, 'send'>, onError: (error: unknown) => void): Post => {
  const signers = new LRUCache<string, WebhookSigner>({
    max: MAX_SIGNERS,
    memoMethod: (secret) => createWebhookSigner(secret),
  });
  return async (delivery, receiver, stored) => {
    const { url, payload, headers, secret } = receiver;
    try {
      const body = payload === 'ids' ? idsOnly(stored) : stored;
      const signed = signers.memo(secret)({
        event: delivery.event,
        eventId: delivery.eventId,
        deliveryId: delivery._id,
        subscriptionId: delivery.subscriptionId,
        body,
        timestamp: Math.floor(clock.now().getTime() / 1000),
      });
      const attempt = await sender.send({
        url,
        body,
        headers: { ...headers, 'user-agent': USER_AGENT, ...signed },
      });
      return { ...withoutHeaders(attempt, receiver), payload };
    } catch (error) {
      // No request can be built from the stored data, so another attempt would fail too.
      onError(error);
      return failedByConfiguration(UNUSABLE);
    }
  };
};
