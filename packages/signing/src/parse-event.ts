import type { WebhookEvent } from './event.ts';
import { SignatureError } from './signature-error.ts';

/** Parses a body that was verified. The parser's own error is dropped: its text quotes the body. */
export function parseEvent(body: string | Uint8Array): WebhookEvent {
  let event: unknown;
  try {
    // Strict: a replacement character or a swallowed byte order mark would be content that nobody signed.
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    event = JSON.parse(typeof body === 'string' ? body : decoder.decode(body));
  } catch {
    throw badJson('is not JSON in UTF-8');
  }
  if (!isEvent(event)) throw badJson('is not an event: it needs id, event, timestamp and data');
  return event;
}

function isEvent(value: unknown): value is WebhookEvent {
  if (typeof value !== 'object' || value === null) return false;
  const { id, event, timestamp, data } = value as Record<string, unknown>;
  return (
    typeof id === 'string' &&
    typeof event === 'string' &&
    Number.isInteger(timestamp) &&
    typeof data === 'object' &&
    data !== null &&
    !Array.isArray(data)
  );
}

function badJson(reason: string): SignatureError {
  return new SignatureError(
    'bad_json',
    `The signature is good, but the body ${reason}. For other content use verify().`,
  );
}
