import type { AuditEntry, AuditEntryFilter } from '@chairside/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { withPrompts } from '../session/prompts.ts';
import type { AuditSearch } from './search.ts';

/** The rows of a page. */
const PAGE_SIZE = 50;

const listOf = (filter: Omit<AuditSearch, 'cursor'>, pageSize: number, signal?: AbortSignal) =>
  api.auditEntries.list(filter as AuditEntryFilter, { pageSize, signal });

/** One page of audit entries, the newest first. */
export const auditQuery = ({ cursor, ...filter }: AuditSearch) =>
  queryOptions({
    queryKey: ['audit', filter, cursor],
    queryFn: ({ signal }) => withPrompts(() => listOf(filter, PAGE_SIZE, signal).page(cursor)),
    placeholderData: keepPreviousData,
  });

/**
 * Downloads the entries as CSV. The browser reads the file itself, so its size is not limited by the memory of the page.
 * A download cannot ask for a sign-in or show a refusal, so one entry is read before it.
 *
 * @throws {ChairsideError} if the entries cannot be read
 */
export const downloadEntries = async ({ cursor: _, ...filter }: AuditSearch): Promise<void> => {
  await withPrompts(() => listOf(filter, 1).page());
  const given = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const link = document.createElement('a');
  link.href = `/downloads/auditentries.csv?${new URLSearchParams(given)}`;
  link.download = '';
  link.click();
};

type Action = AuditEntry['action'];
type Kind = AuditEntry['kind'];

/** The actions in words. */
export const ACTIONS: Readonly<Record<Action, string>> = {
  read: 'Read',
  listed: 'Listed',
  events_read: 'Events read',
  created: 'Created',
  updated: 'Updated',
  deleted: 'Deleted',
  paid: 'Paid',
  voided: 'Voided',
  refunded: 'Refunded',
  imported: 'Imported',
  exported: 'Exported',
  erased: 'Erased',
  signed_in: 'Signed in',
  signed_out: 'Signed out',
  confirmed: 'Password confirmed',
  password_changed: 'Password changed',
  sessions_ended: 'Sessions ended',
  revealed: 'Secret revealed',
  granted: 'Connection granted',
  denied: 'Connection denied',
  downloaded: 'Downloaded',
};

/** What an entry can be about, in words. */
export const KINDS: Readonly<Record<Kind, string>> = {
  patient: 'Patient',
  appointment: 'Appointment',
  clinic: 'Clinic',
  invoice: 'Invoice',
  payment: 'Payment',
  treatment: 'Treatment',
  operator: 'Operator',
  session: 'Session',
  apiKey: 'API key',
  webhookSubscription: 'Webhook subscription',
  connection: 'Connected app',
  auditEntry: 'Audit log',
};

/** The principals of the organization: their names by id. If `areAll`, one that is missing was deleted. */
export type Principals = { names: ReadonlyMap<string, string>; areAll: boolean };

/** The principal of an entry in words. */
export const principalOf = (
  { principal: { kind, id } }: AuditEntry,
  { names, areAll }: Principals,
): string => {
  if (kind === 'system') return 'chairside-admin';
  if (kind === 'unknown') return 'not signed in';
  const missing = `${kind === 'apiKey' ? 'API key' : 'Operator'} ${id}`;
  return names.get(id) ?? (areAll ? `${missing} (deleted)` : missing);
};
