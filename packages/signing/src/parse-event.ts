import type { WebhookEvent } from './event.ts';
import { SignatureError } from './signature-error.ts';

/** Parses a verified body. The error of the parser is replaced, because its text quotes the body. */
export function parseEvent(body: string | Uint8Array): WebhookEvent {
  let event: unknown;
  try {
    // The decoder is strict, because a replacement character or a removed byte order mark would change the signed
    // content.
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    event = JSON.parse(typeof body === 'string' ? body : decoder.decode(body));
  } catch {
    throw badJson('is not valid JSON in UTF-8');
  }
  if (!isEvent(event)) throw badJson('is no event: it lacks a valid id, event, timestamp or data');
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
    `The signature is valid, but the body ${reason}. Use verify() for other content.`,
  );
}
