import ms, { type StringValue } from 'ms';

/** The flags that select a period. */
const TIMES = ['since', 'until', 'updatedSince'];
export const isTime = (name: string): boolean => TIMES.includes(name);

/** A length of time, such as `1h`, `30 min` or `2 days`; without a sign. */
const AGE = /^\d[\d.]*\s*[a-z]+$/i;

/**
 * Reads a time of the past: `1h`, `90m`, `2 days ago` and so on become a time in ISO 8601. Every other text stays as it
 * is, and the API checks it.
 */
export const readTime = (text: string, now = Date.now()): string => {
  const length = text.trim().replace(/\s+ago$/i, '');
  const age = AGE.test(length) ? ms(length as StringValue) : undefined;
  return typeof age === 'number' && Number.isFinite(age) && age <= now
    ? new Date(now - age).toISOString()
    : text;
};
