import type { CurrentSession } from '@chairside/client';
import { api } from './client.ts';

/*
 * The requests to the dashboard itself, about the session of its cookie. Each throws a ChairsideError unless it succeeds.
 */

/** Signs in. The access token goes into a cookie that scripts cannot read. */
export const signIn = async (email: string, password: string): Promise<void> => {
  await api.request('POST', '/session', { body: { email, password } });
};

/**
 * Reads the session of the cookie. Returns null if nobody is signed in.
 *
 * @param options.background whether the page sends the request by itself, which does not keep the session alive
 */
export const readSession = (options?: { background: boolean }): Promise<CurrentSession | null> =>
  api.request('GET', '/session', options);

/** Ends the session and removes its cookie. */
export const signOut = async (): Promise<void> => {
  await api.request('DELETE', '/session');
};

/** Starts another session and returns its access token, which is never shown again. */
export const createAccessToken = async (password: string): Promise<string> =>
  (await api.request<{ token: string }>('POST', '/session/tokens', { body: { password } })).token;
