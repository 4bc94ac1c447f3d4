import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { withPrompts } from '../../session/prompts.ts';

const HOUR = 3_600_000;
const WEEK = 7 * 24 * 3_600_000;
/** The kinds that security changes are about. */
const KINDS = ['operator', 'session', 'apiKey', 'webhookSubscription', 'connection'] as const;
const CHANGES = [
  'created',
  'updated',
  'deleted',
  'revealed',
  'rotated',
  'granted',
  'password_changed',
  'sessions_ended',
  'token_created',
  'token_used',
  'token_ended',
] as const;
const MAX_CHANGES = 10;

/** The latest changes of operators, sessions, tokens, keys, subscriptions and connected apps in the last seven days. */
export const securityChangesQuery = queryOptions({
  queryKey: ['securityChanges'],
  async queryFn({ signal }) {
    // The time is rounded, because the api audits the reads of one session and filter together.
    const since = new Date(Math.floor((Date.now() - WEEK) / HOUR) * HOUR);
    const filter = { kind: KINDS, action: CHANGES, since };
    const list = api.auditEntries.list(filter, { pageSize: MAX_CHANGES, signal });
    return (await withPrompts(() => list.page())).data;
  },
});
