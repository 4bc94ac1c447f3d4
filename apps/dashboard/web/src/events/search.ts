import type { Search } from '../search.ts';

/** The filters of the event log, as the api names them, and the cursor. */
export const EVENT_FILTERS = ['event', 'clinicId', 'recordId', 'since', 'until', 'cursor'] as const;

export type EventSearch = Search<(typeof EVENT_FILTERS)[number]>;
