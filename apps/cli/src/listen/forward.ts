import type { ChairsideEvent } from '@chairside/client';
import { sign } from '@chairside/signing';
import { VERSION } from '../version.ts';

/** How a receiver answered. */
export type Answer = { status: number; body: string } | { failure: string };

/** The time that a receiver has, in milliseconds: that of the real webhooks. */
const TIMEOUT = 5000;
/** The beginning of a response that is shown, in characters. */
const MAX_BODY = 2000;

const failureOf = (error: unknown): string => {
  const { name, cause } = Object(error) as { name?: string; cause?: { code?: string } };
  if (name === 'TimeoutError') return `no response within ${TIMEOUT / 1000} s`;
  return cause?.code === 'ECONNREFUSED'
    ? 'nothing listens there (ECONNREFUSED)'
    : (cause?.code ?? name ?? 'failed');
};

/** The body of the webhook: the event of the log without the fields that only the log has. */
const bodyOf = ({ id, event, timestamp, data }: ChairsideEvent): string =>
  JSON.stringify({ id, event, timestamp, data });

/** Sends an event as its webhook is sent: the same headers, signed, one attempt, redirects not followed. */
export const forward = async (url: URL, event: ChairsideEvent, secret: string): Promise<Answer> => {
  const body = bodyOf(event);
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT),
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': `chairside-cli/${VERSION}`,
        'x-service-event': event.event,
        'x-service-event-id': event.id,
        'x-service-delivery-id': `listen-${event.id}`,
        'x-service-signature': sign({ body, secret, timestamp: Math.floor(Date.now() / 1000) }),
      },
    });
    const text = await response.text();
    return { status: response.status, body: text.slice(0, MAX_BODY) };
  } catch (error) {
    return { failure: failureOf(error) };
  }
};
