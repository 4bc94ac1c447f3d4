import type { WebhookEvent } from './event.ts';
import { type RawBody, readBody } from './raw-body.ts';
import { SignatureError } from './signature-error.ts';

/** Parses a body that was verified. The parser's own error is dropped: its text quotes the body. */
export function parseEvent(rawBody: RawBody): WebhookEvent {
  const body = readBody(rawBody);
  let event: unknown;
  try {
    // Not lenient: a replacement character or a swallowed byte order mark would be content that nobody signed.
    event = JSON.parse(
      typeof body === 'string'
        ? body
        : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body),
    );
  } catch {
    badJson('is not JSON in UTF-8');
  }
  if (!isEvent(event)) badJson('is JSON but no event: it needs id, event, timestamp and data');
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
    data !== null
  );
}

function badJson(reason: string): never {
  throw new SignatureError(
    'bad_json',
    `The signature is right, but the body ${reason}. Use verify() for other content.`,
  );
}
