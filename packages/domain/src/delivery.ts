/** Why an attempt failed. */
export const failureCauses = [
  'dns',
  'connect',
  'tls',
  'timeout',
  'reset',
  'status',
  'redirect',
  'blocked_address',
  'protocol',
] as const;
export type FailureCause = (typeof failureCauses)[number];

/** `event` is the one attempt of an event; the others are asked for by an operator and never count. */
export type DeliveryKind = 'event' | 'redelivery' | 'test';

/**
 * Milliseconds that the phases of an attempt took. A phase that was not gone through is absent (on a reused socket all
 * but `firstByte`); the one in which the attempt failed is there, up to its failure.
 */
export type Timings = { lookup?: number; connect?: number; tls?: number; firstByte?: number };

/** How much of an answer's body is kept, in bytes. */
export const MAX_RESPONSE_BODY_BYTES = 4096;

/**
 * The beginning of an answer's body as text that can be shown anywhere: UTF-8 (whatever is none becomes U+FFFD), white
 * space as single spaces, no control characters.
 */
export const responseText = (body: Uint8Array): string =>
  new TextDecoder()
    // As a stream: a character that the cut went through is left out.
    .decode(body.subarray(0, MAX_RESPONSE_BODY_BYTES), { stream: true })
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim();

/** What one attempt ended in, as its sender saw it. */
export type Attempt = {
  attemptTime: Date;
  /** Milliseconds from the beginning of the attempt to the status line or the failure. */
  duration: number;
  timings: Timings;
  statusCode?: number;
  /** The address that was dialled, if it came so far. */
  address?: string;
  /** The beginning of the answer's body: stored for who reads the Delivery, never logged. */
  responseBody?: string;
} & ({ outcome: 'succeeded' } | { outcome: 'failed'; cause: FailureCause; reason: string });

/** Why a Delivery was not attempted. */
export type SkipReason = 'subscription_disabled' | 'subscription_gone';

/**
 * The id of the one Delivery of kind `event` of this event and this subscription:
 * derived, so that making it twice is a harmless duplicate.
 */
export const deliveryId = (eventId: string, subscriptionId: string): string => `${eventId}-${subscriptionId}`;
