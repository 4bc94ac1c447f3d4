import { clock, type Principal } from '@chairside/domain';
import { findApiKey } from '../access/api-keys.ts';
import { type EveryProgramToken, openProgramTokens } from '../access/program-tokens.ts';
import { openSessions, type Sessions } from '../access/sessions.ts';
import { type Administration, openAdministration } from '../administration/administration.ts';
import type { AuditTrail } from '../audit/audit.ts';
import { type Deliveries, eventUsesIn } from '../deliveries/deliveries.ts';
import { openRedeliveries, type Redeliveries } from '../deliveries/redeliveries.ts';
import { type EventLog, openEventLog } from '../events/event-log.ts';
import type { LaneRequests } from '../lanes/lane-requests.ts';
import type { LaneStore } from '../lanes/lane-store.ts';
import { type Backlog, openBacklog } from '../monitoring/backlog.ts';
import { type Outages, openOutages } from '../monitoring/outages.ts';
import { countLive } from '../preparation/running-processes.ts';
import { type Outbox, openOutbox } from '../records/outbox.ts';
import { type AbandonedDrafts, openAbandonedDrafts } from '../schedule/abandoned-drafts.ts';
import { type DeliveryHours, openDeliveryHours } from '../statistics/delivery-hours.ts';
import { type AttemptTurns, openAttemptTurns } from '../subscriptions/attempt-turns.ts';
import { openReceivers, type Receivers } from '../subscriptions/receivers.ts';
import { openSubscriptionIds } from '../subscriptions/subscription-ids.ts';
import { collectionsOf } from './collections.ts';
import type { StoreParts } from './store-parts.ts';

/**
 * Repositories that access all organizations. Only the dispatcher, chairside-admin, sign-in and authentication may use
 * them.
 */
export type EveryOrganization = {
  organizations: { create(organization: { _id: string; name: string }): Promise<void> };
  findApiKey(secret: string, now: Date): Promise<Extract<Principal, { kind: 'apiKey' }> | undefined>;
  sessions: Sessions;
  programTokens: EveryProgramToken;
  outbox: Outbox;
  abandonedDrafts: AbandonedDrafts;
  audit: AuditTrail;
  events: EventLog;
  deliveries: Deliveries;
  deliveryHours: DeliveryHours;
  redeliveries: Redeliveries;
  receivers: Receivers;
  attemptTurns: AttemptTurns;
  /** The number of live dispatchers. Each renews its registration every 10 s, and is live for 30 s after that. */
  liveDispatchers(): Promise<number>;
  lanes: LaneStore;
  laneRequests: LaneRequests;
  outages: Outages;
  administration: Administration;
  backlog: Backlog;
};

export const openEveryOrganization = ({
  database,
  untimedDatabase,
  collections,
  secrets,
  ciphers,
  dataKeys,
  searchState,
  vaultParts,
  passwords,
  trail,
  deliveries,
  lanes,
  laneRequests,
}: StoreParts): EveryOrganization => {
  const { apiKeys, events, operators, organizations, redeliveries, sessions, subscriptions } = collections;
  return {
    organizations: {
      create: async (organization) => {
        await organizations.insertOne({ ...organization, createdTime: clock.now() });
      },
    },
    findApiKey: (secret, now) => findApiKey(apiKeys, secret, now),
    sessions: openSessions(sessions, operators, passwords),
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
    attemptTurns: openAttemptTurns(subscriptions),
    liveDispatchers: () => countLive(database, collections.processes, 'webhook-dispatcher'),
    lanes,
    laneRequests,
    outages: openOutages(database, collections.outages),
    administration: openAdministration({
      database: untimedDatabase,
      collections: collectionsOf(untimedDatabase),
      trail,
      secrets,
      ciphers,
      dataKeys,
      searchState,
      vaultParts,
      passwords,
    }),
    backlog: openBacklog(database, collections.deliveries, subscriptions),
  };
};
