import type { ChallengeAnswer, CurrentSession } from '@chairside/client';
import { api } from './client.ts';

/*
 * The requests to the dashboard itself, about the session of its cookie. Each throws a ChairsideError unless it succeeds.
 */

/** Signs in. The access token goes into a cookie that scripts cannot read. */
export const signIn = async (email: string, password: string): Promise<void> => {
  await api.request('POST', '/session', { body: { email, password } });
};

/** Signs in with the answer to what the sign-in has asked. */
export const answerChallenge = async (answer: ChallengeAnswer): Promise<void> => {
  await api.request('POST', '/session/challenge', { body: answer });
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

/**
 * Starts another session and returns its access token, which is never shown again.
 *
 * @param body the password, or the answer to what it has asked
 */
export const createAccessToken = async (body: { password: string } | ChallengeAnswer): Promise<string> =>
  (await api.request<{ token: string }>('POST', '/session/tokens', { body })).token;
