import type { ScheduleSearch } from './search.ts';

/** The parts of the page, by their names in the address. */
export const TABS = {
  hours: 'Opening hours',
  closed: 'Closed days',
  providers: 'Providers',
  procedures: 'Procedures',
  blocks: 'Blocks',
} as const;
export type Tab = keyof typeof TABS;

const isTab = (value: string | undefined): value is Tab => value !== undefined && Object.hasOwn(TABS, value);

/** The part of the page that an address opens. */
export const tabOf = ({ tab }: ScheduleSearch): Tab => (isTab(tab) ? tab : 'hours');

/** Whether a part shows the opening hours of one clinic. Both parts of these hours are saved together. */
export const isOfHours = (tab: Tab): boolean => tab === 'hours' || tab === 'closed';
