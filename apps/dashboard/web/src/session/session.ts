import { ChairsideError, type CurrentSession } from '@chairside/client';
import { type QueryClient, queryOptions, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { readSession } from '../api/session-calls.ts';
import { ask, Dismissed } from './prompts.ts';
import { startAfresh } from './start-afresh.ts';

export type Role = CurrentSession['role'];

/** The state of the operator's session: signed in, signed out, or the password must be changed first. */
export type SessionState =
  | { state: 'signedIn'; session: CurrentSession }
  | { state: 'mustChangePassword' }
  | { state: 'signedOut' };

const read = async (options?: { background: boolean }): Promise<SessionState> => {
  try {
    const session = await readSession(options);
    return session === null ? { state: 'signedOut' } : { state: 'signedIn', session };
  } catch (error) {
    const mustChange = error instanceof ChairsideError && error.details?.requiredPasswordChange;
    if (mustChange) return { state: 'mustChangePassword' };
    throw error;
  }
};

const KEY = ['session'] as const;

const isOf = (state: SessionState, operatorId: string): boolean =>
  state.state === 'signedIn' && state.session.operatorId === operatorId;

/**
 * Applies a session that was read to an open page. If the session has ended, for example in another tab, a dialog over
 * the page asks for the sign-in. If another operator has signed in, the browser opens the start page, because this page
 * must not show data of the earlier operator.
 */
const continued = (before: SessionState | undefined, found: SessionState): SessionState => {
  if (before?.state !== 'signedIn' || isOf(found, before.session.operatorId)) return found;
  if (found.state === 'signedOut') ask('sign-in').catch(ignoreDismissed);
  else startAfresh();
  return before;
};
const ignoreDismissed = (error: unknown): void => {
  if (!(error instanceof Dismissed)) throw error;
};

/**
 * The session of the cookie. It is read again when the operator returns to the window, unless it was read in the last
 * minute.
 */
export const sessionQuery = queryOptions({
  queryKey: KEY,
  queryFn: async ({ client }) => continued(client.getQueryData<SessionState>(KEY), await read()),
  staleTime: 60_000,
});

/** Reads the session again without keeping it alive. */
export const checkSession = async (queries: QueryClient): Promise<void> => {
  const found = await read({ background: true });
  queries.setQueryData<SessionState>(KEY, (before) => continued(before, found));
};

/** The channel on which a tab of the dashboard says that it has ended the session, or replaced it by another one. */
const SIGNED_OUT = 'signed out';

/**
 * Says to the other tabs of this browser that this tab has ended the session, or that somebody has signed in. What a page
 * sends after that would be sent in the name of the other operator.
 */
export const tellSignOut = (): void => {
  const channel = new BroadcastChannel(SIGNED_OUT);
  channel.postMessage(SIGNED_OUT);
  channel.close();
};

/**
 * Hides the page when another tab has ended its session, because the operator may have left the computer, and leaves it
 * when another operator has signed in. If the session cannot be read, the page is hidden nevertheless.
 */
export const useSignOutElsewhere = (): void => {
  const queries = useQueryClient();
  useEffect(() => {
    const channel = new BroadcastChannel(SIGNED_OUT);
    channel.addEventListener('message', () => {
      checkSession(queries).catch(() => ask('sign-in').catch(ignoreDismissed));
    });
    return () => channel.close();
  }, [queries]);
};

/** Reads the session again, which keeps it alive. */
export const renewSession = async (queries: QueryClient): Promise<void> => {
  await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
};

/**
 * Reads the session after a sign-in in the dialog over the page. @returns whether the session belongs to the same
 * operator
 */
export const resumeSession = async (queries: QueryClient, operatorId: string): Promise<boolean> => {
  const found = await read();
  if (!isOf(found, operatorId)) return false;
  queries.setQueryData<SessionState>(KEY, found);
  return true;
};

/** The session of a page that only signed-in operators see. */
export const useSession = (): CurrentSession => {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data.state !== 'signedIn') throw new Error('This page needs a session.');
  return data.session;
};
