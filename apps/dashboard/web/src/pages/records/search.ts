import type { Search } from '../../search.ts';

/**
 * The filters of lists of records, the day of the day sheet and the chosen view, that the address of the page contains. It does not contain the search for
 * patients, which is only in the state of the page.
 */
export const RECORD_FILTERS = [
  'clinicId',
  'patientId',
  'startTime',
  'endTime',
  'updatedSince',
  'status',
  'day',
  'view',
  'cursor',
] as const;

export type RecordSearch = Search<(typeof RECORD_FILTERS)[number]>;

/**
 * Whether the page shows all patients. Otherwise it shows those of a search only, because a list names people whom nobody
 * has asked for.
 */
export const isEverybody = ({ view, updatedSince }: RecordSearch): boolean =>
  view === 'list' || updatedSince !== undefined;

/** The filters that only the list of appointments has: with one of them, the list is shown and not the day sheet. */
const LIST_ONLY = ['patientId', 'startTime', 'endTime', 'updatedSince', 'status', 'cursor'] as const;

/** Whether the list of appointments is shown, and not the day sheet. */
export const isList = (search: RecordSearch): boolean =>
  search.view === 'list' || LIST_ONLY.some((name) => search[name] !== undefined);
