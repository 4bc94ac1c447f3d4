export type { Asked, AskedOperator, ChallengePurpose, Challenges } from './access/challenges.ts';
export type { FactorChecks, KnownPasskey } from './access/factor-checks.ts';
export { isFactorRequired } from './access/factor-document.ts';
export type { LinkedOperator } from './access/operator-links.ts';
export type { OperatorResult } from './access/operator-writes.ts';
export type { NewPasskeyKey } from './access/own-factors.ts';
export type { Confirmation } from './access/own-password.ts';
export { openPasswords, type Passwords } from './access/passwords.ts';
export type { EveryProgramToken, ProgramTokens } from './access/program-tokens.ts';
export type { OperatorPrincipal, Sessions, SignInResult } from './access/sessions.ts';
export { sealedCollections } from './administration/sealed-parts.ts';
export type {
  Access,
  Audit,
  AuditFilter,
  AuditTrail,
  Author,
  Run,
  RunAction,
  SecurityAction,
} from './audit/audit.ts';
export type { CommandListener, Patience } from './connection/client.ts';
export {
  checkConnectionString,
  checkVaultUrl,
  databaseNamedBy,
  withDatabase,
} from './connection/connection-string.ts';
export { operationTurnLimits } from './connection/operation-turns.ts';
export type { DeliveryLog } from './deliveries/delivery-log.ts';
export type { DeliveryFilter } from './deliveries/delivery-pages.ts';
export { MAX_RUNNING_REDELIVERIES } from './deliveries/redeliveries.ts';
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
export type { Secrets } from './encryption/secrets.ts';
export { DATA_KEYS_IN_DATABASE } from './encryption/vault.ts';
export type {
  EventFilter,
  EventPage,
  Events,
  LoggedEvent,
} from './events/organization-events.ts';
export type { BacklogSize } from './monitoring/backlog.ts';
export { UnreadableFormError } from './preparation/database-form.ts';
export { loggedWait } from './preparation/preparation.ts';
export { loggedRegistration } from './preparation/running-processes.ts';
export { createUsageCount, type UsageCount } from './preparation/usage.ts';
export { MAX_EXAMINING_MS } from './records/examination.ts';
export type { BatchNotes, KeyUse, Reservation, ReservedIds, WrittenRow } from './records/idempotency.ts';
export {
  type PageRow,
  type RecordPage,
  type RecordReader,
  SearchOffError,
  type Stored,
} from './records/record-lists.ts';
export type { Position, RecordFilter } from './records/record-query.ts';
export {
  type Change,
  ExternalIdTakenError,
  type IdentifiedRecord,
  type RecordName,
  type Records,
  type WriteResult,
} from './records/records.ts';
export type { Bookings, CheckTime } from './schedule/bookings.ts';
export type { OpeningHoursStore } from './schedule/opening-hours.ts';
export type { OrganizationSchedule } from './schedule/organization-schedule.ts';
export type { SettingWrite } from './schedule/practice-settings.ts';
export type { SettingFilter, Settings } from './schedule/settings.ts';
export type { StatisticsRow } from './statistics/statistics.ts';
export { cachedStops, type Stopped, type Stops } from './stops/stops.ts';
export type { OrganizationStore } from './stores/organization-store.ts';
export { type Credentials, openStore, type Store } from './stores/store.ts';
export type { StoreBase, StoreOptions } from './stores/store-base.ts';
export type {
  CreatedSubscription,
  RefusedReplacement,
  Subscriptions,
} from './subscriptions/subscriptions.ts';
