import { LANGUAGE } from '../../language.ts';

/** A range of times: ISO 8601. Without an end, it lasts until now. */
export type Period = { since: string; until?: string };
/** A period with its name. */
type NamedPeriod = { name: string; period: Period };

const month = new Intl.DateTimeFormat(LANGUAGE, { month: 'short' });

/** The beginning of a day, in the reader's zone. @param days 0 for the day of `now`, -1 for the day before */
const dayFrom = (now: Date, days: number): string =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() + days).toISOString();

/** Today and the days before it, as periods that end now, in the reader's zone. */
export const lastDays = (now: Date): NamedPeriod[] => [
  { name: 'Today', period: { since: dayFrom(now, 0) } },
  { name: '7 days', period: { since: dayFrom(now, -6) } },
  { name: '30 days', period: { since: dayFrom(now, -29) } },
];

/** The present month and the two before it, in the reader's zone. */
export const lastMonths = (now: Date): NamedPeriod[] =>
  [0, 1, 2].map((before) => {
    const first = new Date(now.getFullYear(), now.getMonth() - before);
    const end = new Date(now.getFullYear(), now.getMonth() - before + 1);
    return {
      name: month.format(first),
      period: { since: first.toISOString(), until: new Date(end.getTime() - 1).toISOString() },
    };
  });
