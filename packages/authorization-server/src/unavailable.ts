import { fullQueueBehind, refusalOfFullQueue } from '@chairside/concurrency';
import { RETRY_AFTER, serviceUnavailable } from '@chairside/http-server';
import { mayReadLater } from '@chairside/mongodb/oauth';
import { UnusableDatabaseError } from '@chairside/startup';
import { errors } from 'oidc-provider';

/**
 * The refusal inside oidc-provider of a request that may succeed later: 429 if the network of the caller has reached a
 * limit of its own, otherwise 503, for example because the database is unreachable. The client should retry, not sign
 * in again.
 */
export class TemporarilyUnavailable extends errors.OIDCProviderError {
  override readonly error_description: string;
  constructor(cause: unknown, isCallers = fullQueueBehind(cause)?.isCallers ?? false) {
    super(isCallers ? 429 : 503, 'temporarily_unavailable');
    this.error_description = isCallers
      ? 'Too many requests from your network. Try again later.'
      : 'The service is unavailable. Try again later.';
    this.cause = cause;
    this.expose = true;
  }
}

/**
 * Whether the operation may succeed later: the database is unavailable or returned an unknown error code, too many
 * operations wait for their turn, or no api of this version has created the view of operators yet. Each write of the
 * store may be repeated, so it is judged like a read.
 */
const isUnavailable = (error: unknown): boolean =>
  fullQueueBehind(error) !== undefined || mayReadLater(error) || error instanceof UnusableDatabaseError;

/**
 * Waits for an operation of the store inside oidc-provider.
 *
 * @throws {TemporarilyUnavailable} if the database is unreachable, or too many operations wait
 */
export const stored = async <T>(operation: Promise<T>): Promise<T> => {
  try {
    return await operation;
  } catch (error) {
    throw isUnavailable(error) ? new TemporarilyUnavailable(error) : error;
  }
};

/**
 * Waits for an operation of the store outside of oidc-provider.
 *
 * @throws {Refusal} TooManyRequests if too many operations of the caller's network wait; ServiceUnavailable if the
 *   operation may succeed later, for example because the database is unreachable
 */
export const orUnavailable = async <T>(operation: Promise<T>): Promise<T> => {
  try {
    return await operation;
  } catch (cause) {
    if (!(cause instanceof TemporarilyUnavailable) && !isUnavailable(cause)) throw cause;
    const full = fullQueueBehind(cause);
    if (full === undefined) throw serviceUnavailable('The service is unavailable. Try again later.', cause);
    throw refusalOfFullQueue(full, {
      what: 'requests',
      whose: 'network',
      retryAfter: RETRY_AFTER,
      limit: 'authorization_operations_waiting',
    });
  }
};
