import { ChairsideError, type Session } from '@chairside/client';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { readSession } from '../api/session-calls.ts';

export type Role = Session['role'];

/** How the operator's session stands: signed in, signed out, or the password must be changed first. */
export type SessionState =
  | { state: 'signedIn'; session: Session }
  | { state: 'mustChangePassword' }
  | { state: 'signedOut' };

const read = async (): Promise<SessionState> => {
  try {
    const session = await readSession();
    return session === null ? { state: 'signedOut' } : { state: 'signedIn', session };
  } catch (error) {
    const mustChange = error instanceof ChairsideError && error.details?.requiredPasswordChange;
    if (mustChange) return { state: 'mustChangePassword' };
    throw error;
  }
};

/** The session of the cookie. */
export const sessionQuery = queryOptions({ queryKey: ['session'], queryFn: read, staleTime: 60_000 });

/** The session of a page that only signed-in operators see. */
export const useSession = (): Session => {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data.state !== 'signedIn') throw new Error('This page needs a session.');
  return data.session;
};
