export type { Administration, Inspection } from './administration.ts';
export type { Access, Audit, AuditFilter, AuditTrail, Run, SecurityAction } from './audit.ts';
export type { Backlog, BacklogSize } from './backlog.ts';
export type { CommandListener, Patience } from './client.ts';
export { checkConnectionString, databaseNamedBy, withDatabase } from './connection-string.ts';
export { isDuplicateKey } from './database.ts';
export type { ClaimedDelivery, Deliveries, NewDelivery, Outcome, QueuedDelivery } from './deliveries.ts';
export type { DeliveryHours } from './delivery-hours.ts';
export type { DeliveryLog } from './delivery-log.ts';
export { type DeliveryFilter, MAX_EXAMINED_DELIVERIES } from './delivery-pages.ts';
export type { ErasureReport } from './erase.ts';
export {
  type EventFilter,
  type EventLog,
  type EventPage,
  type EventRef,
  type Events,
  type FoundEvent,
  type LogClock,
  type LoggedEvent,
  mayStillEnter,
} from './events.ts';
export type { EveryOrganization } from './every-organization.ts';
export type { KeyUse, ReservedIds } from './idempotency.ts';
export type {
  ImportCounts,
  ImportEvents,
  Importer,
  ImportResult,
  NumberedLine,
  RefusedLine,
} from './import.ts';
export { LANE_LIFE, type LaneStore } from './lane-store.ts';
export type { OpeningHoursStore } from './opening-hours.ts';
export type { Confirmation, OperatorResult } from './operators.ts';
export type { OrganizationStore } from './organization-store.ts';
export type { Outages } from './outages.ts';
export type { LargeOutboxRef, Outbox, OutboxRef } from './outbox.ts';
export type {
  ListedClinic,
  ListedDelivery,
  ListedOperator,
  ListedOrganization,
  ListedSubscription,
  Overview,
} from './overview.ts';
export { openPasswords, type Passwords } from './passwords.ts';
export { loggedWait } from './preparation.ts';
export {
  type DisabledSubscription,
  MAX_LAST_CAUSES,
  type Receivers,
  type StoredReceiver,
  type Streak,
} from './receivers.ts';
export type { Position, RecordFilter } from './record-query.ts';
export type { PageRow, Records, Stored, WriteResult } from './records.ts';
export type { Redeliveries } from './redeliveries.ts';
export type { RotationReport } from './rotation.ts';
export type { Secrets } from './secrets.ts';
export type { OperatorPrincipal, Sessions, SignInResult } from './sessions.ts';
export type { NumberedSettingLine, SettingImportResult } from './setting-import.ts';
export type { StatisticsRow } from './statistics.ts';
export { openStore, type Store } from './store.ts';
export type { Subscriptions } from './subscriptions.ts';
export type { TimePosition } from './time-order.ts';
export { isDatabaseUnavailable, type Unavailability, unavailabilityOf } from './unavailable.ts';
