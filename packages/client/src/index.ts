/**
 * A typed client for the Chairside REST API.
 *
 * @module
 */
export type {
  ApiKeys,
  AuditEntries,
  Connections,
  Operators,
  Sessions,
  SignInOptions,
} from './access.ts';
export type { Call, ResponseInfo, WithResponse } from './call.ts';
export { Chairside, type RawRequestOptions } from './client.ts';
export {
  ChairsideError,
  type ErrorDetails,
  type ErrorFields,
  type ErrorName,
  type Issue,
} from './errors.ts';
export type { Events } from './events.ts';
export type { EventFollower, FollowOptions } from './follow.ts';
export type { Fetch, FetchedResponse, FetchInit, ResponseHeaders, Signal } from './globals.ts';
export type { ChangeOptions, CreateOptions, SetOptions } from './groups.ts';
export type { BatchOptions, ImportedBatch, ImportOptions } from './import-all.ts';
export type { List, ListOptions, Page } from './list.ts';
export type { ChairsideOptions, ConnectionOptions, RequestOptions } from './options.ts';
export type { Patients } from './patients.ts';
export type {
  BookingOptions,
  EditableRecords,
  EditOptions,
  IfNoneMatch,
  ReadableRecords,
  SyncedRecords,
} from './record-groups.ts';
export type * from './records.ts';
export type { RetryOptions } from './retry.ts';
export type { ClinicHours } from './schedule.ts';
export type { QueryValue } from './transport.ts';
export type { WebhookDeliveries, WebhookStatistics, WebhookSubscriptions } from './webhooks.ts';
