export type { OperatorResult } from './access/operator-writes.ts';
export type { Confirmation } from './access/own-password.ts';
export { openPasswords, type Passwords } from './access/passwords.ts';
export type { EveryProgramToken, ProgramTokens } from './access/program-tokens.ts';
export type { OperatorPrincipal, Sessions, SignInResult } from './access/sessions.ts';
export type { Administration, Inspection } from './administration/administration.ts';
export type { DeletionReport } from './administration/delete-organization.ts';
export type { ErasureReport } from './administration/erase.ts';
export type {
  ImportCounts,
  ImportEvents,
  Importer,
  ImportResult,
  NumberedLine,
  RefusedLine,
} from './administration/import.ts';
export type {
  ListedClinic,
  ListedDelivery,
  ListedOperator,
  ListedOrganization,
  ListedSubscription,
  Overview,
} from './administration/overview.ts';
export type { SearchReport } from './administration/patient-search.ts';
export type { NumberedSettingLine, SettingImportResult } from './administration/setting-import.ts';
export type { Access, Audit, AuditFilter, AuditTrail, Run, SecurityAction } from './audit/audit.ts';
export type { CommandListener, Patience } from './connection/client.ts';
export {
  checkConnectionString,
  checkVaultUrl,
  databaseNamedBy,
  withDatabase,
} from './connection/connection-string.ts';
export { operationTurnLimits } from './connection/operation-turns.ts';
export type {
  ClaimedDelivery,
  Deliveries,
  NewDelivery,
  Outcome,
  QueuedDelivery,
} from './deliveries/deliveries.ts';
export type { DeliveryLog } from './deliveries/delivery-log.ts';
export type { DeliveryFilter } from './deliveries/delivery-pages.ts';
export type { Redeliveries } from './deliveries/redeliveries.ts';
export { isDuplicateKey } from './driver/statements.ts';
export { isBefore, MAX_EXAMINED, type TimePosition } from './driver/time-order.ts';
export {
  isDatabaseUnavailable,
  mayReadLater,
  OverloadedError,
  type Unavailability,
  unavailabilityOf,
} from './driver/unavailable.ts';
export { loggedEncryption, UnreadableValueError } from './encryption/ciphers.ts';
export type { RotationReport } from './encryption/rotation.ts';
export type { SearchState } from './encryption/search-state.ts';
export type { Secrets } from './encryption/secrets.ts';
export { DATA_KEYS_IN_DATABASE } from './encryption/vault.ts';
export {
  type EventRef,
  lengthOfBody,
  type StoredBody,
  type StoredEvent,
  sentBytes,
} from './events/event-document.ts';
export type { EventLog } from './events/event-log.ts';
export type {
  EventFilter,
  EventPage,
  Events,
  FoundEvent,
  LoggedEvent,
} from './events/organization-events.ts';
export { LANE_LIFE_MS, type LaneStore } from './lanes/lane-store.ts';
export type { Backlog, BacklogSize } from './monitoring/backlog.ts';
export type { Outages } from './monitoring/outages.ts';
export { UnreadableFormError } from './preparation/database-form.ts';
export { loggedWait } from './preparation/preparation.ts';
export { loggedRegistration } from './preparation/running-processes.ts';
export { MAX_EXAMINING_MS } from './records/examination.ts';
export type { KeyUse, Reservation, ReservedIds } from './records/idempotency.ts';
export type { LargeOutboxRef, Outbox, OutboxRef } from './records/outbox.ts';
export {
  type PageRow,
  type RecordPage,
  type RecordReader,
  SearchOffError,
  type Stored,
} from './records/record-lists.ts';
export type { Position, RecordFilter } from './records/record-query.ts';
export type { Change, Records, WriteResult } from './records/records.ts';
export type { AbandonedDrafts } from './schedule/abandoned-drafts.ts';
export type { Bookings, CheckTime } from './schedule/bookings.ts';
export type { OpeningHoursStore } from './schedule/opening-hours.ts';
export type { OrganizationSchedule } from './schedule/organization-schedule.ts';
export type { SettingWrite } from './schedule/practice-settings.ts';
export type { SettingFilter, Settings } from './schedule/settings.ts';
export type { DeliveryHours } from './statistics/delivery-hours.ts';
export type { StatisticsRow } from './statistics/statistics.ts';
export { withinClinics } from './stores/clinic-scope.ts';
export type { EveryOrganization } from './stores/every-organization.ts';
export type { OrganizationStore } from './stores/organization-store.ts';
export { openStore, type Store } from './stores/store.ts';
export {
  type AttemptTurns,
  LONGEST_PAUSE_MS,
  type TurnResponse,
} from './subscriptions/attempt-turns.ts';
export {
  type AddedFailures,
  type DisabledSubscription,
  MAX_LAST_CAUSES,
  type PauseSettings,
  type Receivers,
  type StoredReceiver,
  type Streak,
} from './subscriptions/receivers.ts';
export type {
  CreatedSubscription,
  RefusedReplacement,
  Subscriptions,
} from './subscriptions/subscriptions.ts';
