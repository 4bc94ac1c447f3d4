import type { Search } from '../../search.ts';

export const SCHEDULE_FILTERS = [
  'tab',
  'clinicId',
  'providerId',
  'year',
  'since',
  'until',
  'cursor',
] as const;
export type ScheduleSearch = Search<(typeof SCHEDULE_FILTERS)[number]>;
