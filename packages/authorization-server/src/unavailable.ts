import { serviceUnavailable } from '@chairside/http-server';
import { isDatabaseUnavailable } from '@chairside/mongodb/oauth';
import { errors } from 'oidc-provider';

/**
 * The refusal inside oidc-provider while the database or the document of a client is unreachable. The client should
 * retry, not sign in again.
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
 * Waits for an operation of the store inside oidc-provider.
 *
 * @throws {TemporarilyUnavailable} if the database is unreachable
 */
export const stored = async <T>(operation: Promise<T>): Promise<T> => {
  try {
    return await operation;
  } catch (error) {
    throw isDatabaseUnavailable(error) ? new TemporarilyUnavailable(error) : error;
  }
};

/**
 * Waits for an operation of the store outside of oidc-provider.
 *
 * @throws {Refusal} ServiceUnavailable if the database or the document of a client is unreachable
 */
export const orUnavailable = async <T>(operation: Promise<T>): Promise<T> => {
  try {
    return await operation;
  } catch (cause) {
    if (!(cause instanceof TemporarilyUnavailable) && !isDatabaseUnavailable(cause)) throw cause;
    throw serviceUnavailable('The service is unavailable. Try again later.', cause);
  }
};
