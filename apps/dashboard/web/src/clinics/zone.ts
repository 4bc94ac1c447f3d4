import { LANGUAGE } from '../language.ts';
/** Whether the browser knows a zone. */
export const isKnownZone = (timeZone: string): boolean => {
  try {
    new Intl.DateTimeFormat(LANGUAGE, { timeZone });
    return true;
  } catch {
    return false;
  }
};

const formats = new Map<string, Intl.DateTimeFormat | undefined>();

/**
 * Returns the format of times in a zone. Each format is created only once.
 *
 * @param timeZone an IANA zone; undefined for the reader's zone
 * @returns undefined if the browser does not know the zone
 */
export const formatIn = (
  timeZone: string | undefined,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat | undefined => {
  const key = JSON.stringify([timeZone, options]);
  if (!formats.has(key)) {
    const format =
      timeZone === undefined || isKnownZone(timeZone)
        ? new Intl.DateTimeFormat(LANGUAGE, { ...options, ...(timeZone !== undefined && { timeZone }) })
        : undefined;
    formats.set(key, format);
  }
  return formats.get(key);
};

const TIME: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };

/** The time of a day in a zone, such as `09:30`; in the reader's zone if the browser does not know the zone. */
export const timeText = (time: number, timeZone: string | undefined): string =>
  (formatIn(timeZone, TIME) ?? formatIn(undefined, TIME))?.format(time) ?? '';
