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

/** What one attempt ended in, as its sender saw it. */
export type Attempt = {
  attemptTime: Date;
  /** Milliseconds from the beginning of the attempt to the status line or the failure. */
  duration: number;
  statusCode?: number;
  /** The address that was dialled, if it came so far. */
  address?: string;
} & ({ outcome: 'succeeded' } | { outcome: 'failed'; cause: FailureCause; reason: string });

/** Why a Delivery was not attempted. */
export type SkipReason = 'subscription_disabled' | 'subscription_gone';

/**
 * The id of the one Delivery of kind `event` of this event and this subscription:
 * derived, so that making it twice is a harmless duplicate.
 */
export const deliveryId = (eventId: string, subscriptionId: string): string => `${eventId}-${subscriptionId}`;
