import type { Disabling } from './disablings.ts';
import type { Down, Life } from './history.ts';
import type { Bulk } from './operator.ts';
import type { Seen } from './receivers.ts';
import type { Refused } from './service.ts';
import type { Answered, Creation } from './writes.ts';

/** An event, as the log has it. */
export type LoggedEvent = {
  _id: string;
  event: string;
  recordId: string;
  clinicIds: readonly string[];
  body: string;
};

/** A Delivery, as the database has it. */
export type StoredDelivery = {
  _id: string;
  eventId: string;
  subscriptionId: string;
  kind: string;
  status: string;
  createdTime: Date;
  redeliveryOf?: string;
  worker?: string;
  claimedAt?: Date;
  attemptTime?: Date;
  duration?: number;
  cause?: string;
  reason?: string;
  finalTime?: Date;
};

/** The sending again of many, as the database has it. */
export type StoredBulk = {
  _id: string;
  subscriptionId: string;
  since: Date;
  until: Date;
  outcomes: readonly string[];
  state: string;
  made: number;
  gone: number;
  createdTime: Date;
};

export type SubscriptionState = { _id: string; clinicId: string; receiver: string };

/** Everything that a run has left behind. */
export type Evidence = {
  answered: readonly Answered[];
  creations: readonly Creation[];
  refused: readonly Refused[];
  /** Deliveries that an operator asked for and that were answered 200. */
  requested: readonly string[];
  /** Deliveries that an operator asked to be sent again one by one. */
  repeated: readonly string[];
  /** The redeliveries of many, as they were asked for and as they are stored. */
  bulks: readonly Bulk[];
  storedBulks: readonly StoredBulk[];
  disablings: readonly Disabling[];
  /** Records whose events have not left them. */
  unpublished: number;
  events: readonly LoggedEvent[];
  deliveries: readonly StoredDelivery[];
  subscriptions: readonly SubscriptionState[];
  seen: readonly Seen[];
  /** What was done to the service. */
  downs: readonly Down[];
  /** The processes of the dispatchers, as far as they got ready. */
  lives: readonly Life[];
};
