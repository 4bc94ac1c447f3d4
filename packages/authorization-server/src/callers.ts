import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The address of the caller of the current request, inside all calls that the request makes. oidc-provider does not
 * pass the request to its adapter.
 */
export const callers = new AsyncLocalStorage<string>();
