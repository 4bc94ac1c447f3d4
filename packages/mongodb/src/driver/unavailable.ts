import { ServiceError } from '@chairside/domain';
import {
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from 'mongodb';
import { meaningOf } from './error-codes.ts';
import { isPostgresqlFull, isPostgresqlUnreachable } from './ferretdb.ts';

/**
 * Why an operation failed although it is valid. `unreachable`: the database is unreachable, has no primary or does not
 * respond. `overloaded`: the database cannot finish its work in time. `blocked`: it accepts no such operation until an
 * operator acts. In each case, a retry may succeed, and a failed write may have been made.
 */
export type Unavailability = 'unreachable' | 'overloaded' | 'blocked';

/** The database has not responded within the time limit. */
export class NoResponseError extends ServiceError {
  override readonly name = 'NoResponseError';
}

/** An operation has had no turn in time, because too many others wait. */
export class OverloadedError extends ServiceError {
  override readonly name = 'OverloadedError';
}

/** Labels of the driver or the server which mean that a retry may succeed. */
const RETRY_LABELS = ['RetryableWriteError', 'RetryableError'];
const OVERLOAD_LABEL = 'SystemOverloadedError';

/**
 * The driver's errors when a member leaves the replica set or refuses the connection while operations wait for it, or
 * when the first connection of the client failed.
 */
const GONE_MEMBER = [
  'MongoPoolClosedError',
  'MongoServerClosedError',
  'MongoTopologyClosedError',
  // The server asked for a new authentication (391) of a connection that has no user.
  'MongoMissingCredentialsError',
];
/** The driver's messages for an empty DNS response, and for a server that has not joined its replica set yet. */
const NOT_READY = /No addresses found at host|does not support retryable writes/;

/** System errors of a connection that breaks while a command is being sent. The driver passes them on unchanged. */
const BROKEN_CONNECTION = ['ECONNRESET', 'EPIPE'];
/** The DNS lookups for `mongodb+srv://`. The driver passes on their errors unchanged. */
const DNS_LOOKUPS = ['querySrv', 'queryTxt'];

/** An error of the driver, or the part of a response that describes an error. */
type Failure = {
  isOfWriteConcern?: boolean;
  code?: unknown;
  errorLabels?: unknown;
  syscall?: unknown;
  errorResponse?: unknown;
  cause?: unknown;
  writeErrors?: unknown;
  message?: unknown;
  err?: unknown;
  result?: { writeConcernError?: unknown; getWriteConcernError?(): unknown };
};

/**
 * An error and every error inside it: the failed writes of a group, the write concern error, and wrapped errors.
 */
const partsOf = (error: unknown, seen: Set<unknown> = new Set()): Failure[] => {
  if (typeof error !== 'object' || error === null || seen.has(error)) return [];
  seen.add(error);
  const failure: Failure = error;
  const { errorResponse, cause, writeErrors, err, result } = failure;
  const { code: codeOfWriteConcern } = (result?.writeConcernError ??
    result?.getWriteConcernError?.() ??
    {}) as Failure;
  const held = [errorResponse, cause, writeErrors, err].flat().flatMap((each) => partsOf(each, seen));
  return [failure, ...held, { code: codeOfWriteConcern, isOfWriteConcern: true }];
};

/** Whether a system error that the driver has passed on, or a `NoResponseError`, means an unreachable database. */
const isSystemUnreachable = (failure: Failure): boolean =>
  failure instanceof NoResponseError ||
  BROKEN_CONNECTION.includes(String(failure.code)) ||
  DNS_LOOKUPS.includes(String(failure.syscall));

/** Classifies an error of the driver that no code and no label has classified. */
const unavailabilityOfDriver = ({ name, message }: MongoError): Unavailability | undefined => {
  if (GONE_MEMBER.includes(name) || NOT_READY.test(message)) return 'unreachable';
  // No connection became free while the operation waited for one.
  return name === 'MongoWaitQueueTimeoutError' ? 'overloaded' : undefined;
};

const unavailabilityOfPart = (failure: Failure): Unavailability | undefined => {
  const { code } = failure;
  if (failure instanceof OverloadedError) return 'overloaded';
  if (failure instanceof Error && !(failure instanceof MongoError)) {
    return isSystemUnreachable(failure) ? 'unreachable' : undefined;
  }
  // This is checked before the labels, because the driver labels a server that refuses connections as
  // overloaded.
  if (failure instanceof MongoNetworkError || failure instanceof MongoServerSelectionError)
    return 'unreachable';
  const labels = [failure.errorLabels].flat();
  // After these errors of a write concern, the write was made, but a majority of the replica set did not have it in
  // time.
  const isOfWriteConcern = failure.isOfWriteConcern || failure instanceof MongoWriteConcernError;
  const meaning = meaningOf(code);
  if (isOfWriteConcern && meaning !== undefined && meaning !== 'refused') return 'unreachable';
  if (labels.includes(OVERLOAD_LABEL) || meaning === 'overloaded') return 'overloaded';
  if (RETRY_LABELS.some((label) => labels.includes(label)) || meaning === 'unreachable') return 'unreachable';
  if (meaning === 'blocked' || meaning === 'forbidden') return 'blocked';
  if (isPostgresqlUnreachable(failure)) return 'unreachable';
  if (isPostgresqlFull(failure)) return 'blocked';
  return failure instanceof MongoError ? unavailabilityOfDriver(failure) : undefined;
};

/** @returns undefined if the operation itself was refused, or if the error is not a database error */
export const unavailabilityOf = (error: unknown): Unavailability | undefined => {
  if (!(error instanceof Error)) return undefined;
  const said = new Set(partsOf(error).map(unavailabilityOfPart));
  return (['unreachable', 'overloaded', 'blocked'] as const).find((each) => said.has(each));
};

/** Whether an operation failed because the database is unavailable. A retry may succeed. */
export const isDatabaseUnavailable = (error: unknown): boolean => unavailabilityOf(error) !== undefined;

/**
 * Whether a failed read may succeed later: the database is unavailable, or its error code is unknown. An unknown code of
 * a write counts as a refusal, because the write may be at fault.
 */
export const mayReadLater = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || (error instanceof MongoServerError && meaningOf(error.code) === undefined);

/**
 * Whether a starting process waits after this error. It does not wait for rights that its user lacks, because that is
 * most often a mistake in MONGODB_URL.
 */
export const isUnavailableAtStart = (error: unknown): boolean =>
  isDatabaseUnavailable(error) && !partsOf(error).some(({ code }) => meaningOf(code) === 'forbidden');
