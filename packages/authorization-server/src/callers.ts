import { AsyncLocalStorage } from 'node:async_hooks';

/** The caller of a request, and the request. */
export type Caller = {
  address: string;
  requestId: string;
  /** Whether the request revokes a token (RFC 7009). */
  revokes: boolean;
  /** The seconds after which a refused request makes sense again, if they are known. */
  retryAfter?: number;
};

/**
 * The caller of the current request, inside all calls that the request makes. oidc-provider does not pass the request
 * to its adapter.
 */
export const callers = new AsyncLocalStorage<Caller>();
