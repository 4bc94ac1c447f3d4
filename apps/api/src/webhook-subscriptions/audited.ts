import { headersAfter, isSameOrigin, type Subscription, type SubscriptionUpdate } from '@chairside/domain';
import type { FastifyRequest } from 'fastify';
import { changesOf, hostChange } from '../audit/security-actions.ts';

/** What a request sets of a subscription. */
type Sent = SubscriptionUpdate & { replaces?: string | undefined };

/**
 * The names of the fixed headers that a subscription has after a request. Their values are secrets.
 *
 * @returns undefined if the request does not concern them
 */
const headerNames = (
  { url, headers }: Sent,
  current: Subscription | undefined,
  isReplacement: boolean,
): string[] | undefined => {
  const before = current?.headers ?? {};
  const isKept = current === undefined || url === undefined || isSameOrigin(url, current.url);
  if (headers === undefined && isKept && !isReplacement) return undefined;
  const names = Object.keys(headersAfter(isKept ? before : {}, headers));
  return names.length + Object.keys(before).length === 0 ? undefined : names;
};

/**
 * The changes of an audit entry about a subscription. Of a URL, they show its host, and whether this host is new to the
 * organization. Of a replacement, they also show what it inherits.
 *
 * @param current the subscription until now; for a replacement, the replaced one
 */
export const subscriptionChanges = async (
  { store }: FastifyRequest,
  sent: Sent,
  current?: Subscription,
  { isReplacement = false } = {},
) => {
  const inherited = isReplacement && current ? { url: current.url, payload: current.payload } : {};
  const { url, headers, ...others } = { ...inherited, ...sent };
  const isNewHost =
    url !== undefined && URL.canParse(url) && !(await store.subscriptions.hasHost(new URL(url).host));
  return [
    ...(url === undefined
      ? []
      : [hostChange(url, isReplacement ? undefined : current?.url), ...changesOf({ newHost: isNewHost })]),
    ...changesOf({ ...others, headers: headerNames(sent, current, isReplacement) }),
  ];
};
