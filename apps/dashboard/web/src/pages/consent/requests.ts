import type { Connection } from '@chairside/client';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { withPrompts } from '../../session/prompts.ts';

/** The request of an app for access. */
export type Consent = {
  /** The name that the app gives itself, or its client id. */
  app: string;
  /** The host to which the browser is redirected after the decision. For an app: its scheme and host. */
  redirectHost: string;
  /** A website, a program on the user's own machine, or an app that the browser opens. */
  redirectKind: 'website' | 'loopback' | 'app';
  organization?: string;
  /** What the app has asked over its connections until now, the last one first. */
  asked: Connection['tools'];
};

const pathOf = (id: string, part: 'details' | 'decision'): string =>
  `/oauth/consent/${encodeURIComponent(id)}/${part}`;

export const consentQuery = (id: string) =>
  queryOptions({
    queryKey: ['consent', id],
    queryFn: () => withPrompts(() => api.request<Consent>('GET', pathOf(id, 'details'))),
    // The request is not read again while the page is open, so that the operator decides on the request that is shown.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/**
 * Sends the decision of the operator. @returns the address that redirects the browser to the app. @throws
 * {ChairsideError}
 */
export const decide = async (id: string, decision: 'allow' | 'deny'): Promise<string> => {
  const { location } = await withPrompts(() =>
    api.request<{ location: string }>('POST', pathOf(id, 'decision'), { body: { decision } }),
  );
  return location;
};
