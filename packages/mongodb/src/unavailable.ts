import { MongoError, MongoNetworkError, MongoServerSelectionError, MongoWriteConcernError } from 'mongodb';
import { isPostgresqlAway } from './ferretdb.ts';

/**
 * Why the database did not do its work although nothing is wrong with the work: it is away, has no primary or is
 * silent; or it has more to do than it can in time. Either way trying again may help, and a write may have been done.
 */
export type Unavailability = 'away' | 'overloaded';

/** The database has not answered within the time limit. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/** Labels by which the driver or the server says that trying again may help. */
const RETRY_LABELS = ['RetryableWriteError', 'RetryableError'];
const OVERLOAD_LABEL = 'SystemOverloadedError';

/** The server's codes, as its file `error_codes.yml` names them. */
const AWAY_CODES: ReadonlySet<unknown> = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  43, // CursorNotFound: the server that had it has restarted, or it was idle for ten minutes
  64, // WriteConcernTimeout
  89, // NetworkTimeout
  91, // ShutdownInProgress
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet
  175, // QueryPlanKilled: its index was dropped
  189, // PrimarySteppedDown
  202, // NetworkInterfaceExceededTimeLimit
  9001, // SocketException
  10_107, // NotWritablePrimary
  11_600, // InterruptedAtShutdown
  11_602, // InterruptedDueToReplStateChange
  13_435, // NotPrimaryNoSecondaryOk
  13_436, // NotPrimaryOrSecondary
]);
const OVERLOAD_CODES: ReadonlySet<unknown> = new Set([
  50, // MaxTimeMSExpired
  262, // ExceededTimeLimit
  462, // IngressRequestRateLimitExceeded
]);

/** What passes while others prepare the same database: codes that a start waits for besides. */
const CODES_OF_A_START: ReadonlySet<unknown> = new Set([
  46, // LockBusy
  112, // WriteConflict
  117, // ConflictingOperationInProgress
  276, // IndexBuildAborted
]);

/** Errors of the driver when a member leaves the set while operations wait for it. */
const GONE_MEMBER = ['MongoPoolClosedError', 'MongoServerClosedError'];
/** Messages of the driver for an empty answer of DNS, and for a server that is not part of its set yet. */
const NOT_READY = /No addresses found at host|does not support retryable writes/;

/** What the system says of a connection that breaks while a command is written; the driver hands it on as it is. */
const BROKEN_CONNECTION = ['ECONNRESET', 'EPIPE'];
/** The lookups behind `mongodb+srv://`, whose errors the driver hands on as well. */
const DNS_LOOKUPS = ['querySrv', 'queryTxt'];

/** An error of the driver, or a part of a reply that describes one. */
type Failure = {
  isOfWriteConcern?: boolean;
  code?: unknown;
  errorLabels?: unknown;
  syscall?: unknown;
  errorResponse?: unknown;
  cause?: unknown;
  writeErrors?: unknown;
  err?: unknown;
  result?: { writeConcernError?: unknown; getWriteConcernError?(): unknown };
};

/** A failure with all that it holds: of a group of writes, each that failed; the write concern; what was wrapped. */
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

/** Of an error that is not the driver's own. */
const isSystemAway = (failure: Failure): boolean =>
  failure instanceof NoAnswerError ||
  BROKEN_CONNECTION.includes(String(failure.code)) ||
  DNS_LOOKUPS.includes(String(failure.syscall));

/** Of an error of the driver that has neither a code nor a label. */
const unavailabilityOfDriver = ({ name, message }: MongoError): Unavailability | undefined => {
  if (GONE_MEMBER.includes(name) || NOT_READY.test(message)) return 'away';
  // All connections were taken for as long as an operation waits for one.
  return name === 'MongoWaitQueueTimeoutError' ? 'overloaded' : undefined;
};

const unavailabilityOfPart = (failure: Failure): Unavailability | undefined => {
  const { code } = failure;
  if (failure instanceof Error && !(failure instanceof MongoError)) {
    return isSystemAway(failure) ? 'away' : undefined;
  }
  // Before its labels: the driver takes a server that does not let it connect for one that has too much to do.
  if (failure instanceof MongoNetworkError || failure instanceof MongoServerSelectionError) return 'away';
  const labels = [failure.errorLabels].flat();
  // The write was done, but a majority of the set did not have it in time.
  const isOfWriteConcern = failure.isOfWriteConcern || failure instanceof MongoWriteConcernError;
  if (isOfWriteConcern && OVERLOAD_CODES.has(code)) return 'away';
  if (labels.includes(OVERLOAD_LABEL) || OVERLOAD_CODES.has(code)) return 'overloaded';
  if (RETRY_LABELS.some((label) => labels.includes(label)) || AWAY_CODES.has(code)) return 'away';
  if (isPostgresqlAway(failure)) return 'away';
  return failure instanceof MongoError ? unavailabilityOfDriver(failure) : undefined;
};

/** @returns undefined when the work itself was refused, or when it is no error of a database */
export const unavailabilityOf = (error: unknown): Unavailability | undefined => {
  if (!(error instanceof Error)) return undefined;
  const said = partsOf(error).map(unavailabilityOfPart);
  return said.find((each) => each === 'away') ?? said.find((each) => each === 'overloaded');
};

/** Whether an operation failed because the database is unavailable: trying again may help. */
export const isDatabaseUnavailable = (error: unknown): boolean => unavailabilityOf(error) !== undefined;

/** The same for a process that starts beside others, which prepare the same database. */
export const isUnavailableAtStart = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || partsOf(error).some(({ code }) => CODES_OF_A_START.has(code));
