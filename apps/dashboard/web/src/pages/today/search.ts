import type { Search } from '../../search.ts';

/** The clinic and the day of the page in its address. */
export const TODAY_FILTERS = ['clinicId', 'day'] as const;
export type TodaySearch = Search<(typeof TODAY_FILTERS)[number]>;
