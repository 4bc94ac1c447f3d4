import type { Search } from '../../search.ts';

/**
 * The filters of lists of records, and whether all patients are shown, that the address of the page contains. It does not
 * contain the search for patients, which is only in the state of the page.
 */
export const RECORD_FILTERS = [
  'clinicId',
  'patientId',
  'startTime',
  'endTime',
  'updatedSince',
  'status',
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
