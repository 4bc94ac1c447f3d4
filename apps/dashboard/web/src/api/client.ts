import { Chairside, type Fetch } from '@chairside/client';
import { recordUse } from './last-use.ts';

/**
 * Sends a request. If it succeeds, records the use of the session, unless the page sends the request by itself: such a
 * background request does not keep the session alive.
 */
const withUse: Fetch = async (url, init) => {
  const request = init as RequestInit;
  const response = await fetch(url, request);
  if (response.ok && !new Headers(request.headers).has('X-Background')) recordUse();
  return response;
};

/** The client of the api. The server of the dashboard adds the access token of the cookie. */
export const api = new Chairside({
  baseUrl: location.origin,
  cookie: true,
  timeout: 20_000,
  retry: { maxAttempts: 2, maxDelay: 2000 },
  fetch: withUse,
});
