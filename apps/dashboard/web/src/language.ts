/** The pages are in English. Numbers and times have its forms, whatever the browser says: the day before the month, 24 hours. */
export const LANGUAGE = 'en-GB';

/** A day with its weekday, such as `Thu, 31 Jan 2030`. */
export const DAY = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
/** A minute of a day, such as `Thu, 31 Jan 2030, 14:05`. */
export const MINUTE = { ...DAY, hour: '2-digit', minute: '2-digit' } as const;
/** A second of a day, such as `Thu, 31 Jan 2030, 14:05:09`. */
export const SECOND = { ...MINUTE, second: '2-digit' } as const;

/** Compares names: the order of the alphabet, and of numbers in names. */
export const byName = new Intl.Collator(LANGUAGE, { numeric: true }).compare;
