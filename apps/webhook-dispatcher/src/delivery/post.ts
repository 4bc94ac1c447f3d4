import { type Attempt, clock, type Receiver } from '@chairside/domain';
import type { ClaimedDelivery } from '@chairside/mongodb/dispatch';
import { createWebhookSigner, idsOnly, type WebhookSigner } from '@chairside/webhook-request';
import { LRUCache } from 'lru-cache';
import { UNUSABLE } from './failure-reasons.ts';
import type { Sender, WebhookRequest } from './send.ts';

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

/** A code as `@chairside/signing` and the receivers of its documents respond with. */
const CODE = /^[a-z_]{1,32}$/;

/**
 * The attempt without what the receiver has responded, if the subscription has fixed headers: the response may repeat a value
 * in any form. A code is kept, unless it is part of a value.
 */
const withoutValues = (attempt: Attempt, { headers }: Pick<Receiver, 'headers'>): Attempt => {
  const values = Object.values(headers);
  if (values.length === 0) return attempt;
  const { responseBody, responseBodyTruncated, responseHeaders, ...kept } = attempt;
  if (responseBody === undefined || !CODE.test(responseBody)) return kept;
  return values.some((value) => value.includes(responseBody)) ? kept : { ...kept, responseBody };
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
  const requestOf = (delivery: ClaimedDelivery, receiver: Receiver, stored: string): WebhookRequest => {
    const { url, payload, headers, secret } = receiver;
    const body = payload === 'ids' ? idsOnly(stored) : stored;
    const signed = signers.memo(secret)({
      event: delivery.event,
      eventId: delivery.eventId,
      deliveryId: delivery._id,
      subscriptionId: delivery.subscriptionId,
      body,
      timestamp: Math.floor(clock.now().getTime() / 1000),
    });
    return { url, body, headers: { ...headers, 'user-agent': USER_AGENT, ...signed } };
  };
  return async (delivery, receiver, stored) => {
    try {
      const attempt = await sender.send(requestOf(delivery, receiver, stored));
      return { ...withoutValues(attempt, receiver), payload: receiver.payload };
    } catch (error) {
      // No request can be built from the stored data, so another attempt would fail too.
      onError(error);
      return failedByConfiguration(UNUSABLE);
    }
  };
};
