import { queryOptions } from '@tanstack/react-query';
import { send } from '../api/session-calls.ts';
import { withPrompts } from '../session/prompts.ts';

/** What an app asks for. */
export type Consent = {
  /** The name that the app gives itself. */
  app: string;
  /** Where the browser is led afterwards. */
  redirectHost: string;
  /** A website, a program on the user's own machine, or an app that the browser opens. */
  redirectKind: 'website' | 'loopback' | 'app';
  organization?: string;
};

const pathOf = (id: string, part: 'details' | 'decision'): string =>
  `/oauth/consent/${encodeURIComponent(id)}/${part}`;

export const consentQuery = (id: string) =>
  queryOptions({
    queryKey: ['consent', id],
    async queryFn() {
      const response = await withPrompts(() => send('GET', pathOf(id, 'details')));
      return (await response.json()) as Consent;
    },
    // What was shown is what is answered.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** Answers an app. @returns the address from where the browser is led back to the app. @throws {ChairsideError} */
export const decide = async (id: string, decision: 'allow' | 'deny'): Promise<string> => {
  const response = await withPrompts(() => send('POST', pathOf(id, 'decision'), { decision }));
  const { location } = (await response.json()) as { location: string };
  return location;
};
