import { createHmac, createSecretKey } from 'node:crypto';
import { createSigner } from '@chairside/signing';
import { standardKey } from './secret.ts';

/** What the headers of a webhook are made of. */
export type WebhookMessage = {
  event: string;
  eventId: string;
  deliveryId: string;
  subscriptionId: string;
  /** The exact text that is sent. */
  body: string;
  /** The time of sending, as Unix time in whole seconds. */
  timestamp: number;
};

/** The headers that describe and sign a webhook: all but `User-Agent` and those of the subscription. */
export type WebhookSigner = (message: WebhookMessage) => Record<string, string>;

/**
 * Prepares the keys of a subscription, so that its webhooks can be signed. Each webhook has two signatures:
 * `X-Service-Signature` (service description, Delivery request) and `webhook-signature` (Standard Webhooks).
 *
 * @throws {SignatureError} if the secret cannot be used
 */
export const createWebhookSigner = (secret: string): WebhookSigner => {
  const { sign } = createSigner({ secret });
  const key = createSecretKey(standardKey(secret));
  return ({ event, eventId, deliveryId, subscriptionId, body, timestamp }) => ({
    'content-type': 'application/json',
    'x-service-event': event,
    'x-service-event-id': eventId,
    'x-service-delivery-id': deliveryId,
    'x-service-subscription-id': subscriptionId,
    'x-service-signature': sign({ body, timestamp }),
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${createHmac('sha256', key).update(`${eventId}.${timestamp}.`).update(body).digest('base64')}`,
  });
};
