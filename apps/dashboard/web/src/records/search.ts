import type { Search } from '../search.ts';

/**
 * The filters of lists of records that the address of the page contains. It does not contain the search for an e-mail
 * address, which is only in the state of the page.
 */
export const RECORD_FILTERS = [
  'clinicId',
  'patientId',
  'startTime',
  'endTime',
  'updatedSince',
  'cursor',
] as const;

export type RecordSearch = Search<(typeof RECORD_FILTERS)[number]>;
