/*
 * What delivers events, for all organizations. This module is the export `@chairside/mongodb/dispatch`.
 */
import { type EveryProgramToken, openProgramTokens } from '../access/program-tokens.ts';
import type { AuditTrail } from '../audit/audit.ts';
import { type Deliveries, eventUsesIn } from '../deliveries/deliveries.ts';
import { openRedeliveries, type Redeliveries } from '../deliveries/redeliveries.ts';
import { type EventLog, openEventLog } from '../events/event-log.ts';
import type { LaneRequests } from '../lanes/lane-requests.ts';
import type { LaneStore } from '../lanes/lane-store.ts';
import { type MailQueue, openMailQueue } from '../mails/mail-queue.ts';
import { type Backlog, openBacklog } from '../monitoring/backlog.ts';
import { type Outages, openOutages } from '../monitoring/outages.ts';
import { type Notices, openNotices } from '../notices/notices.ts';
import { countLive } from '../preparation/running-processes.ts';
import { type Outbox, openOutbox } from '../records/outbox.ts';
import { openRestoreWatch, type RestoreWatch } from '../restores/sequence.ts';
import { type AbandonedDrafts, openAbandonedDrafts } from '../schedule/abandoned-drafts.ts';
import { type DeliveryHours, openDeliveryHours } from '../statistics/delivery-hours.ts';
import type { Stops } from '../stops/stops.ts';
import { type AttemptPermits, openAttemptPermits } from '../subscriptions/attempt-permits.ts';
import { openReceivers, type Receivers } from '../subscriptions/receivers.ts';
import { openSubscriptionIds } from '../subscriptions/subscription-ids.ts';
import { openStoreBase, type StoreBase, type StoreOptions } from './store-base.ts';
import type { StoreParts } from './store-parts.ts';

export type {
  ClaimedDelivery,
  Deliveries,
  NewDelivery,
  Outcome,
  QueuedDelivery,
} from '../deliveries/deliveries.ts';
export type { Redeliveries } from '../deliveries/redeliveries.ts';
export {
  type EventRef,
  lengthOfBody,
  type StoredBody,
  type StoredEvent,
  sentBytes,
} from '../events/event-document.ts';
export type { EventLog } from '../events/event-log.ts';
export { distinctLanes, LANE_LIFE_MS, type LaneRef, type LaneStore } from '../lanes/lane-store.ts';
export type { ClaimedMail, DueMail, EndedMails, MailEnd, MailQueue } from '../mails/mail-queue.ts';
export type { Backlog } from '../monitoring/backlog.ts';
export type { Outages } from '../monitoring/outages.ts';
export type { Notices, ToldCounts } from '../notices/notices.ts';
export { createUsageCount, type UsageCount } from '../preparation/usage.ts';
export type { LargeOutboxRef, Outbox, OutboxRef } from '../records/outbox.ts';
export type { RestoreState, RestoreWatch } from '../restores/sequence.ts';
export type { AbandonedDrafts } from '../schedule/abandoned-drafts.ts';
export type { DeliveryHours } from '../statistics/delivery-hours.ts';
export {
  type AttemptPermits,
  LONGEST_PAUSE_MS,
  type PermitResponse,
} from '../subscriptions/attempt-permits.ts';
export {
  type AddedFailures,
  type DisabledSubscription,
  MAX_LAST_CAUSES,
  type PauseSettings,
  type Receivers,
  type StoredReceiver,
  type Streak,
} from '../subscriptions/receivers.ts';

export type Dispatch = {
  programTokens: EveryProgramToken;
  outbox: Outbox;
  abandonedDrafts: AbandonedDrafts;
  audit: AuditTrail;
  events: EventLog;
  deliveries: Deliveries;
  deliveryHours: DeliveryHours;
  redeliveries: Redeliveries;
  receivers: Receivers;
  attemptPermits: AttemptPermits;
  stops: Stops;
  /** The number of live dispatchers. Each renews its registration every 10 s, and is live for 30 s after that. */
  liveDispatchers(): Promise<number>;
  lanes: LaneStore;
  laneRequests: LaneRequests;
  outages: Outages;
  mailQueue: MailQueue;
  notices: Notices;
  backlog: Backlog;
  restoreWatch: RestoreWatch;
};

/** The store of the dispatcher. */
export type DispatchStore = StoreBase & { everyOrganization: Dispatch };

export const openDispatch = ({
  database,
  collections,
  secrets,
  ciphers,
  trail,
  deliveries,
  lanes,
  laneRequests,
  stops,
  vaultParts: { vault },
}: StoreParts): Dispatch => {
  const { events, redeliveries, subscriptions } = collections;
  return {
    programTokens: openProgramTokens({ ...collections, trail }),
    outbox: openOutbox(database),
    abandonedDrafts: openAbandonedDrafts(database),
    audit: trail,
    events: openEventLog(
      events,
      database.collection('organizations'),
      eventUsesIn(collections.deliveries),
      ciphers,
    ),
    deliveries,
    deliveryHours: openDeliveryHours(
      collections.deliveryHours,
      collections.hourProgress,
      collections.deliveries,
      openSubscriptionIds(subscriptions, collections.deletedSubscriptions),
    ),
    redeliveries: openRedeliveries(redeliveries, collections.deliveries, events),
    receivers: openReceivers(subscriptions, secrets),
    attemptPermits: openAttemptPermits(subscriptions),
    stops,
    liveDispatchers: () => countLive(database, collections.processes, 'webhook-dispatcher'),
    lanes,
    laneRequests,
    outages: openOutages(database, collections.outages),
    mailQueue: openMailQueue(database, collections.mails, ciphers),
    notices: openNotices({ database, collections, ciphers }),
    restoreWatch: openRestoreWatch({ ...collections, vault }),
    backlog: openBacklog(database, collections.deliveries, subscriptions, collections.mails),
  };
};

/** @param options see {@link openStoreBase} */
export const openDispatchStore = (options: StoreOptions): DispatchStore => {
  const { base, parts } = openStoreBase(options);
  return { ...base, everyOrganization: openDispatch(parts) };
};
