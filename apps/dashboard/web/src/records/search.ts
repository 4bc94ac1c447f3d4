import type { Search } from '../search.ts';

/**
 * The filters of lists of records that are in the address. The search for an e-mail address is not: it is in the state of
 * the page only.
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
