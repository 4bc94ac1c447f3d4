import type { ApiKeyDocument } from '../access/api-keys.ts';
import type { ChallengeDocument } from '../access/challenges.ts';
import type { ConnectionDocument } from '../access/connection-document.ts';
import type { OperatorDocument } from '../access/operator-document.ts';
import type { OrganizationDocument } from '../access/organization-document.ts';
import type { ProgramTokenDocument } from '../access/program-tokens.ts';
import type { SessionDocument } from '../access/sessions.ts';
import type { DeletionDocument } from '../administration/delete-organization.ts';
import type { AuditDocument } from '../audit/audit.ts';
import type { AuditedSetDocument } from '../audit/audited-sets.ts';
import type { DeliveryDocument } from '../deliveries/deliveries.ts';
import type { RedeliveryDocument } from '../deliveries/redeliveries.ts';
import type { Database } from '../driver/database.ts';
import type { DataKeyDocument } from '../encryption/data-keys.ts';
import type { SettingDocument } from '../encryption/encryption-check.ts';
import type { EventDocument } from '../events/event-document.ts';
import type { LaneRequestDocument } from '../lanes/lane-requests.ts';
import type { LaneDocument, LeaseDocument } from '../lanes/lane-store.ts';
import type { MailDocument } from '../mails/mail-document.ts';
import type { OutageDocument } from '../monitoring/outages.ts';
import type { OAuthClientDocument, OAuthLimitDocument, OAuthStateDocument } from '../oauth/documents.ts';
import type { FormDocument } from '../preparation/database-form.ts';
import type { ProcessDocument } from '../preparation/running-processes.ts';
import type { IdempotencyDocument } from '../records/idempotency.ts';
import type { EndingDocument } from '../restores/endings.ts';
import type { SequenceDocument } from '../restores/sequence.ts';
import type { BookingsDocument } from '../schedule/booking-holds.ts';
import type { OpeningHoursDocument } from '../schedule/practice-settings.ts';
import type { HourProgressDocument } from '../statistics/delivery-hours.ts';
import type { DeliveryHourDocument } from '../statistics/hour-rows.ts';
import type { StopDocument } from '../stops/stops.ts';
import type { DeletedSubscriptionDocument, SubscriptionDocument } from '../subscriptions/subscriptions.ts';

/** All collections except those of the records (see `shapes`) and of the imported settings (see `settingShapes`). */
export const collectionsOf = (database: Database) => ({
  apiKeys: database.collection<ApiKeyDocument>('apiKeys'),
  auditEntries: database.collection<AuditDocument>('auditEntries'),
  auditedSets: database.collection<AuditedSetDocument>('auditedSets'),
  bookings: database.collection<BookingsDocument>('bookings'),
  challenges: database.collection<ChallengeDocument>('challenges'),
  connections: database.collection<ConnectionDocument>('connections'),
  dataKeys: database.collection<DataKeyDocument>('dataKeys'),
  databaseForm: database.collection<FormDocument>('databaseForm'),
  deletedSubscriptions: database.collection<DeletedSubscriptionDocument>('deletedSubscriptions'),
  deliveries: database.collection<DeliveryDocument>('deliveries'),
  deliveryHours: database.collection<DeliveryHourDocument>('deliveryHours'),
  endings: database.collection<EndingDocument>('endings'),
  events: database.collection<EventDocument>('events'),
  hourProgress: database.collection<HourProgressDocument>('hourProgress'),
  idempotencyKeys: database.collection<IdempotencyDocument>('idempotencyKeys'),
  laneRequests: database.collection<LaneRequestDocument>('laneRequests'),
  lanes: database.collection<LaneDocument>('lanes'),
  leases: database.collection<LeaseDocument>('leases'),
  mails: database.collection<MailDocument>('mails'),
  oauthClients: database.collection<OAuthClientDocument>('oauthClients'),
  oauthLimits: database.collection<OAuthLimitDocument>('oauthLimits'),
  oauthState: database.collection<OAuthStateDocument>('oauthState'),
  openingHours: database.collection<OpeningHoursDocument>('openingHours'),
  operators: database.collection<OperatorDocument>('operators'),
  organizationDeletions: database.collection<DeletionDocument>('organizationDeletions'),
  organizations: database.collection<OrganizationDocument>('organizations'),
  outages: database.collection<OutageDocument>('outages'),
  processes: database.collection<ProcessDocument>('processes'),
  programTokens: database.collection<ProgramTokenDocument>('programTokens'),
  redeliveries: database.collection<RedeliveryDocument>('redeliveries'),
  sequence: database.collection<SequenceDocument>('sequence'),
  sessions: database.collection<SessionDocument>('sessions'),
  settings: database.collection<SettingDocument>('settings'),
  stops: database.collection<StopDocument>('stops'),
  subscriptions: database.collection<SubscriptionDocument>('subscriptions'),
});
export type Collections = ReturnType<typeof collectionsOf>;
