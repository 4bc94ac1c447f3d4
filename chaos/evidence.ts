import type { BookingEvidence } from './bookings.ts';
import type { Bulk } from './bulk-requests.ts';
import type { Disabling } from './disablings.ts';
import type { Down, Life } from './history.ts';
import type { PayloadChange } from './operator.ts';
import type { Owner } from './owners.ts';
import type { Seen } from './receivers.ts';
import type { Switch } from './replacements.ts';
import type { Refused } from './service.ts';
import type { SyncEvidence } from './sync/records.ts';
import type { Acknowledged, Creation } from './writes.ts';

/** An event from the event log. */
export type LoggedEvent = {
  _id: string;
  event: string;
  about: readonly [recordId: string, ...others: string[]];
  clinicIds: readonly string[];
  body: string;
};

/** A delivery from the database. */
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
  payload?: PayloadChange['payload'];
  finalTime?: Date;
};

/** A bulk redelivery from the database. */
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

/** A mail with notices from the database. */
export type StoredNotice = {
  _id: string;
  operatorId: string;
  createdTime: Date;
  finalTime?: Date;
  state: string;
  attempts: number;
  doubts: number;
  told: readonly { kind: string; subject: string; occurrence: string }[];
};

/** What became of the notices. Times are milliseconds since 1970. */
export type NoticeEvidence = {
  /** The owners of receivers that were killed. `at` is the time at which the subscription was disabled. */
  owners: readonly (Owner & { at?: number })[];
  stored: readonly StoredNotice[];
  /** The mails that the mail server has taken. */
  taken: readonly { mailId: string; to: readonly string[]; at: number }[];
  /** The number of rows with facts that were to be told. */
  untold: number;
};

export type SubscriptionState = {
  _id: string;
  clinicId: string;
  /** The first of the subscriptions that replace each other. */
  chainId: string;
  receiver: string;
};

/** All facts that a run has recorded. */
export type Evidence = {
  /** The collections whose documents, and the mails, show what identifies a patient, and the encoding. */
  leaks: readonly string[];
  acknowledged: readonly Acknowledged[];
  creations: readonly Creation[];
  refused: readonly Refused[];
  /** The ids of the tests and redeliveries that the operator requested with a response of 200. */
  requested: readonly string[];
  /** The ids of the deliveries for which the operator requested a single redelivery. */
  repeated: readonly string[];
  /** The bulk redeliveries as requested, and as stored. */
  bulks: readonly Bulk[];
  storedBulks: readonly StoredBulk[];
  disablings: readonly Disabling[];
  switches: readonly Switch[];
  payloadChanges: readonly PayloadChange[];
  bookings: BookingEvidence;
  sync: SyncEvidence;
  notices: NoticeEvidence;
  /** The number of appointments with bookings that are undecided. */
  drafts: number;
  /** The number of records with unpublished events. */
  unpublished: number;
  events: readonly LoggedEvent[];
  deliveries: readonly StoredDelivery[];
  subscriptions: readonly SubscriptionState[];
  seen: readonly Seen[];
  /** The periods in which a part of the service was down or paused, or the receivers got no CPU time. */
  downs: readonly Down[];
  /** The dispatcher processes that became ready. */
  lives: readonly Life[];
};
