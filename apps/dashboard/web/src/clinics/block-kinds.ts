import type { CalendarBlock } from '@chairside/client';

/** The kinds of blocks in words. */
export const BLOCK_KINDS: Readonly<Record<CalendarBlock['kind'], string>> = {
  CLOSED: 'Closed',
  HOLIDAY: 'Holiday',
  BREAK: 'Break',
  MEETING: 'Meeting',
  MAINTENANCE: 'Maintenance',
  OTHER: 'Other',
};
