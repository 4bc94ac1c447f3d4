import type { ChairsideEvent } from '@chairside/client';
import { createWebhookSigner, idsOnly } from '@chairside/webhook-request';
import { Option } from 'commander';
import { VERSION } from '../version.ts';

/** The response of a receiver, or the reason why there is none. */
export type ForwardResult = { status: number; body: string } | { failure: string };

/** The timeout of an attempt, as for a webhook. */
const TIMEOUT_MS = 5000;
/** Maximum number of characters of a response body that are shown. */
const MAX_BODY = 2000;

const failureOf = (error: unknown): string => {
  const { name, cause } = Object(error) as { name?: string; cause?: { code?: string } };
  if (name === 'TimeoutError') return `no response within ${TIMEOUT_MS / 1000} s`;
  return cause?.code === 'ECONNREFUSED'
    ? 'nothing listens there (ECONNREFUSED)'
    : (cause?.code ?? name ?? 'failed');
};

/** An event, with the fields of a webhook's body. */
export type Sent = Pick<ChairsideEvent, 'id' | 'timestamp' | 'origin'> & { event: string; data: object };

/** How an event is sent. */
export type Sending = {
  secret: string;
  deliveryId: string;
  /** The id of the subscription that the receiver is to see. */
  subscriptionId: string;
  payload: 'full' | 'ids';
};

export const payloadOption = () =>
  new Option('--payload <payload>', 'send the whole record, or only ids').choices(['full', 'ids']);

/** The body of the webhook: without the fields that only events of the log have. */
const bodyOf = (
  event: Sent & { clinicIds?: unknown; loggedTime?: unknown },
  payload: Sending['payload'],
): string => {
  const { clinicIds, loggedTime, ...sent } = event;
  const body = JSON.stringify(sent);
  return payload === 'ids' ? idsOnly(body) : body;
};

/**
 * Sends an event like a webhook: signed, with the headers of a webhook, in one attempt, without following redirects.
 */
export const forward = async (
  url: URL,
  event: Sent,
  { secret, deliveryId, subscriptionId, payload }: Sending,
): Promise<ForwardResult> => {
  const body = bodyOf(event, payload);
  const timestamp = Math.floor(Date.now() / 1000);
  const message = { event: event.event, eventId: event.id, deliveryId, subscriptionId, body, timestamp };
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      body,
      headers: {
        'user-agent': `chairside-cli/${VERSION}`,
        ...createWebhookSigner(secret)(message),
      },
    });
    const text = await response.text();
    return { status: response.status, body: text.slice(0, MAX_BODY) };
  } catch (error) {
    return { failure: failureOf(error) };
  }
};
