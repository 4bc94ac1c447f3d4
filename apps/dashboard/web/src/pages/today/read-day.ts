import { type Day, isDay } from '../../clinics/days.ts';

/** The first and the last day that the page shows. */
export const FIRST_DAY: Day = '1900-01-01';
export const LAST_DAY: Day = '9998-12-31';

/** The day of an address; undefined for today, and for a day that the page does not show. */
export const readDay = (text: string | undefined): Day | undefined =>
  isDay(text) && text >= FIRST_DAY && text <= LAST_DAY ? text : undefined;
