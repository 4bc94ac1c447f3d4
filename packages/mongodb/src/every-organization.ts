import type { Principal } from '@chairside/domain';
import { type Administration, openAdministration } from './administration.ts';
import { findApiKey } from './api-keys.ts';
import type { AuditTrail } from './audit.ts';
import { type Backlog, openBacklog } from './backlog.ts';
import type { Deliveries } from './deliveries.ts';
import { type DeliveryHours, openDeliveryHours } from './delivery-hours.ts';
import { type EventLog, openEventLog } from './events.ts';
import type { LaneRequests } from './lane-requests.ts';
import type { LaneStore } from './lane-store.ts';
import { type Outages, openOutages } from './outages.ts';
import { type Outbox, openOutbox } from './outbox.ts';
import { openReceivers, type Receivers } from './receivers.ts';
import { openRedeliveries, type Redeliveries } from './redeliveries.ts';
import { openSessions, type Sessions } from './sessions.ts';
import type { StoreParts } from './store-parts.ts';

/** Repositories across all organizations, for the dispatcher, the admin, sign-in and authentication only. */
export type EveryOrganization = {
  organizations: { create(organization: { _id: string; name: string }): Promise<void> };
  findApiKey(secret: string, now: Date): Promise<Extract<Principal, { kind: 'apiKey' }> | undefined>;
  sessions: Sessions;
  outbox: Outbox;
  audit: AuditTrail;
  events: EventLog;
  deliveries: Deliveries;
  deliveryHours: DeliveryHours;
  redeliveries: Redeliveries;
  receivers: Receivers;
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
        await organizations.insertOne({ ...organization, createdTime: new Date() });
      },
    },
    findApiKey: (secret, now) => findApiKey(apiKeys, secret, now),
    sessions: openSessions(sessions, operators, passwords),
    outbox: openOutbox(database),
    audit: trail,
    events: openEventLog(database, events, collections.deliveries),
    deliveries,
    deliveryHours: openDeliveryHours(
      collections.deliveryHours,
      collections.hourProgress,
      collections.deliveries,
    ),
    redeliveries: openRedeliveries(redeliveries, collections.deliveries, events),
    receivers: openReceivers(subscriptions, secrets),
    lanes,
    laneRequests,
    outages: openOutages(database, collections.outages),
    administration: openAdministration(untimedDatabase, trail, secrets, passwords),
    backlog: openBacklog(database, collections.deliveries, subscriptions),
  };
};
