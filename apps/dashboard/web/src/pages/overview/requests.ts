import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { readHours } from '../../clinics/stored-hours.ts';
import { hasDeliveries } from '../../deliveries/requests.ts';
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

/** The most clinics whose hours are read. A new practice has few. */
const MAX_CLINICS = 10;

/** The hours of the first of these clinics that has any; null if none has. */
export const firstHoursQuery = (clinics: readonly { _id: string }[]) =>
  queryOptions({
    queryKey: ['firstHours', clinics.map(({ _id }) => _id)],
    async queryFn({ signal }) {
      const read = clinics.slice(0, MAX_CLINICS).map(({ _id }) => withPrompts(() => readHours(_id, signal)));
      return (await Promise.all(read)).find(({ hours }) => hours !== undefined)?.hours ?? null;
    },
  });

/** Whether any delivery that is kept has arrived. */
export const hasSucceededQuery = queryOptions({
  queryKey: ['hasSucceeded'],
  queryFn: () => hasDeliveries({ outcome: 'succeeded' }),
});

const MAX_FIRST_CHANGES = 100;

/**
 * The changes of opening hours, operators and keys, the newest first. Nothing if there are more than 100, because the
 * first ones are then not among them.
 */
export const firstChangesQuery = queryOptions({
  queryKey: ['firstChanges'],
  async queryFn({ signal }) {
    const filter = {
      kind: ['openingHours', 'operator', 'apiKey'],
      action: ['created', 'updated', 'invited'],
    } as const;
    const list = api.auditEntries.list(filter, { pageSize: MAX_FIRST_CHANGES, signal });
    const { data, nextCursor } = await withPrompts(() => list.page());
    return nextCursor === undefined ? data : [];
  },
});
