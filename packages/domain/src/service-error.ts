/**
 * An error of this service itself. Its message contains no value of a record and no secret, so it is logged whole. The
 * messages of other errors are withheld from the log, because they may quote a record.
 */
export class ServiceError extends Error {
  override readonly name: string = 'ServiceError';
}

/** An expected state that passes: the work is done again later. */
export class RetryLaterError extends ServiceError {
  override readonly name = 'RetryLaterError';
}
