import { serviceUnavailable } from '@chairside/http-server';
import { mayReadLater } from '@chairside/mongodb/oauth';
import { QueueFullError } from '@chairside/runtime';
import { errors } from 'oidc-provider';

/**
 * The refusal inside oidc-provider of a request that may succeed later: for example, the database is unreachable or too
 * many operations wait. The client should retry, not sign in again.
 */
export class TemporarilyUnavailable extends errors.OIDCProviderError {
  override readonly error_description = 'The service is unavailable. Try again later.';
  constructor(cause: unknown) {
    super(503, 'temporarily_unavailable');
    this.cause = cause;
    this.expose = true;
  }
}

/**
 * Whether the operation may succeed later: the database is unavailable or returned an unknown error code, or too many
 * operations wait for their turn. Each write of the store may be repeated, so it is judged like a read.
 */
const isUnavailable = (error: unknown): boolean => error instanceof QueueFullError || mayReadLater(error);

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
 * @throws {Refusal} ServiceUnavailable if the operation may succeed later: for example, the database is unreachable or
 *   too many operations wait
 */
export const orUnavailable = async <T>(operation: Promise<T>): Promise<T> => {
  try {
    return await operation;
  } catch (cause) {
    if (!(cause instanceof TemporarilyUnavailable) && !isUnavailable(cause)) throw cause;
    throw serviceUnavailable('The service is unavailable. Try again later.', cause);
  }
};
