import type { Db } from 'mongodb';
import type { ApiKeyDocument } from './api-keys.ts';
import type { AuditDocument } from './audit.ts';
import type { ConnectionDocument } from './connection-document.ts';
import type { DeliveryDocument } from './deliveries.ts';
import type { HourProgressDocument } from './delivery-hours.ts';
import type { EventDocument } from './events.ts';
import type { SettingDocument } from './external-ids.ts';
import type { DeliveryHourDocument } from './hour-rows.ts';
import type { IdempotencyDocument } from './idempotency.ts';
import type { LaneRequestDocument } from './lane-requests.ts';
import type { LaneDocument, LeaseDocument } from './lane-store.ts';
import type { OAuthClientDocument, OAuthLimitDocument, OAuthStateDocument } from './oauth-documents.ts';
import type { OperatorDocument } from './operator-document.ts';
import type { OutageDocument } from './outages.ts';
import type { OpeningHoursDocument } from './practice-settings.ts';
import type { RedeliveryDocument } from './redeliveries.ts';
import type { SessionDocument } from './sessions.ts';
import type { SubscriptionDocument } from './subscriptions.ts';

export type OrganizationDocument = { _id: string; name: string; createdTime: Date };

/** All collections except those of the records; `shapes` names those. */
export const collectionsOf = (database: Db) => ({
  apiKeys: database.collection<ApiKeyDocument>('apiKeys'),
  auditEntries: database.collection<AuditDocument>('auditEntries'),
  connections: database.collection<ConnectionDocument>('connections'),
  deliveries: database.collection<DeliveryDocument>('deliveries'),
  deliveryHours: database.collection<DeliveryHourDocument>('deliveryHours'),
  events: database.collection<EventDocument>('events'),
  hourProgress: database.collection<HourProgressDocument>('hourProgress'),
  idempotencyKeys: database.collection<IdempotencyDocument>('idempotencyKeys'),
  laneRequests: database.collection<LaneRequestDocument>('laneRequests'),
  lanes: database.collection<LaneDocument>('lanes'),
  leases: database.collection<LeaseDocument>('leases'),
  oauthClients: database.collection<OAuthClientDocument>('oauthClients'),
  oauthLimits: database.collection<OAuthLimitDocument>('oauthLimits'),
  oauthState: database.collection<OAuthStateDocument>('oauthState'),
  openingHours: database.collection<OpeningHoursDocument>('openingHours'),
  operators: database.collection<OperatorDocument>('operators'),
  organizations: database.collection<OrganizationDocument>('organizations'),
  outages: database.collection<OutageDocument>('outages'),
  redeliveries: database.collection<RedeliveryDocument>('redeliveries'),
  sessions: database.collection<SessionDocument>('sessions'),
  settings: database.collection<SettingDocument>('settings'),
  subscriptions: database.collection<SubscriptionDocument>('subscriptions'),
});
export type Collections = ReturnType<typeof collectionsOf>;
