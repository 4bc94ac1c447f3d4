import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { liveInterval, liveRequest } from '../api/live.ts';
import { withPrompts } from '../session/prompts.ts';

/** How many changed records and deliveries of the organization wait, and whether an outage is declared. */
export const serviceStatusQuery = queryOptions({
  queryKey: ['serviceStatus'],
  queryFn: (context) => withPrompts(() => api.serviceStatus(liveRequest(context))),
  refetchInterval: liveInterval,
});

const WEEK = 7 * 24 * 3_600_000;
/** The kinds that security changes are about. */
const KINDS = ['operator', 'apiKey', 'webhookSubscription', 'connection'] as const;
const CHANGES = [
  'created',
  'updated',
  'deleted',
  'revealed',
  'granted',
  'password_changed',
  'sessions_ended',
] as const;
/** Maximum number of changes that the overview shows. */
const MAX_CHANGES = 10;

/** The latest changes of operators, keys, subscriptions and connected apps in the last seven days. */
export const securityChangesQuery = queryOptions({
  queryKey: ['securityChanges'],
  async queryFn({ signal }) {
    const filter = { kind: KINDS, action: CHANGES, since: new Date(Date.now() - WEEK) };
    const list = api.auditEntries.list(filter, { pageSize: MAX_CHANGES, signal });
    return (await withPrompts(() => list.page())).data;
  },
});
