import { Chairside, type Fetch } from '@chairside/client';
import { recordUse } from './last-use.ts';

/** A request that a page sends by itself does not keep the session alive: the api ends a session that is idle. */
const withUse: Fetch = async (url, init) => {
  const request = init as RequestInit;
  const response = await fetch(url, request);
  if (response.ok && !new Headers(request.headers).has('X-Background')) recordUse();
  return response;
};

/** The api. The server of the dashboard adds the access token of the cookie. */
export const api = new Chairside({
  baseUrl: location.origin,
  cookie: true,
  timeout: 20_000,
  retry: { maxAttempts: 2, maxDelay: 2000 },
  fetch: withUse,
});
