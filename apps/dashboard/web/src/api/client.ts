import { Chairside, type Fetch } from '@chairside/client';
import { recordUse } from './last-use.ts';

/** Requests of a person keep the session alive. */
const ofPerson: Fetch = async (url, init) => {
  const response = await fetch(url, init as RequestInit);
  if (response.ok) recordUse();
  return response;
};

/** Requests without input of a person must not keep a session alive: the api ends a session that is idle. */
const inBackground: Fetch = (url, init) =>
  fetch(url, { ...(init as RequestInit), headers: { ...init?.headers, 'X-Background': '1' } });

// The server of the dashboard adds the access token of the cookie.
const connection = { baseUrl: location.origin, cookie: true, timeout: 20_000 } as const;

/** The api, for what a person does. */
export const api = new Chairside({
  ...connection,
  retry: { maxAttempts: 2, maxDelay: 2000 },
  fetch: ofPerson,
});
/** The api, for what a page does by itself. */
export const backgroundApi = new Chairside({ ...connection, retry: false, fetch: inBackground });
