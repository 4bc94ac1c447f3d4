import type { OpeningHours, SetOpeningHours } from '@chairside/client';
import { dayName, WEEKDAYS, type Weekday } from '../../clinics/hours.ts';
import { countText } from '../../components/texts/numbers.ts';
import { DAY, LANGUAGE } from '../../language.ts';

type Interval = OpeningHours['exceptions'][number]['intervals'][number];
export type Exception = OpeningHours['exceptions'][number];

/** An interval as it is typed. `id` is its key on the page. */
export type TypedInterval = { id: string; opens: string; closes: string };

/** Opening hours as they are typed. */
export type Draft = {
  weekdays: Record<Weekday, TypedInterval[]>;
  exceptions: Exception[];
  chairs: string;
  slotMinutes: string;
};

/** Hours that were never set. */
export const NONE: OpeningHours = {
  weekdays: { monday: [], tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] },
  exceptions: [],
  chairs: 1,
  slotMinutes: 15,
};

export const typed = ({ opens, closes }: Interval = { opens: '', closes: '' }): TypedInterval => ({
  id: crypto.randomUUID(),
  opens,
  closes,
});

const everyDay = <T>(of: (day: Weekday) => T): Record<Weekday, T> =>
  Object.fromEntries(WEEKDAYS.map((day) => [day, of(day)])) as Record<Weekday, T>;

/** @param hours undefined if they were never set */
export const draftOf = ({ weekdays, exceptions, chairs, slotMinutes }: OpeningHours = NONE): Draft => ({
  weekdays: everyDay((day) => weekdays[day].map(typed)),
  exceptions,
  chairs: String(chairs),
  slotMinutes: String(slotMinutes),
});

/** Times that people write: `8`, `08:30`, `8.30` or `0830`. */
const TIME = /^(\d{1,2})(?:[:.]?([0-5]\d))?$/;

/** Reads a local time from 00:00 to 24:00. Returns undefined if the text is not one. */
export const readTime = (text: string): string | undefined => {
  const [, hour = '', minute = '00'] = TIME.exec(text.trim()) ?? [];
  const time = `${hour.padStart(2, '0')}:${minute}`;
  return hour !== '' && time <= '24:00' ? time : undefined;
};

const intervalOf = ({ opens, closes }: TypedInterval): Interval => ({
  opens: readTime(opens) ?? opens,
  closes: readTime(closes) ?? closes,
});

const byOpening = (one: Interval, other: Interval): number => (one.opens < other.opens ? -1 : 1);

export const intervalsOf = (intervals: readonly TypedInterval[]): Interval[] =>
  intervals.map(intervalOf).sort(byOpening);

/** What the api stores for a draft without problems. */
export const hoursOf = ({ weekdays, exceptions, chairs, slotMinutes }: Draft): SetOpeningHours => ({
  weekdays: everyDay((day) => intervalsOf(weekdays[day])),
  exceptions,
  chairs: Number(chairs),
  slotMinutes: Number(slotMinutes),
});

const FORM = 'Enter a time, such as 08:30.';

/** What is wrong with the two times of an interval, next to the other intervals of its day. */
export const timeProblems = (
  interval: TypedInterval,
  others: readonly TypedInterval[],
): { opens?: string; closes?: string } => {
  const [opens, closes] = [readTime(interval.opens), readTime(interval.closes)];
  if (opens === undefined || opens === '24:00') return { opens: FORM };
  if (closes === undefined) return { closes: FORM };
  if (closes <= opens)
    return { closes: 'The end must be later. After midnight, hours begin at 00:00 of the next day.' };
  const other = others
    .filter(({ id }) => id !== interval.id)
    .map(intervalOf)
    .find((each) => each.opens < closes && opens < each.closes);
  return other === undefined ? {} : { opens: `This overlaps ${other.opens}–${other.closes}.` };
};

/** Whether all times of a draft can be used. */
export const isUsable = ({ weekdays, chairs, slotMinutes }: Draft): boolean =>
  /^[1-9]\d*$/.test(chairs) &&
  /^[1-9]\d*$/.test(slotMinutes) &&
  Object.values(weekdays).every((day) =>
    day.every((interval) => Object.keys(timeProblems(interval, day)).length === 0),
  );

export const intervalsText = (intervals: readonly Interval[]): string =>
  intervals.map(({ opens, closes }) => `${opens}–${closes}`).join(', ') || 'Closed';

const dateAndDay = new Intl.DateTimeFormat(LANGUAGE, { ...DAY, timeZone: 'UTC' });

/** A day in words, with its weekday. */
export const dayText = (day: string): string => dateAndDay.format(Date.parse(`${day}T00:00Z`));

/** The lines of opening hours, to compare two versions. */
const linesOf = ({ weekdays, exceptions, chairs, slotMinutes }: SetOpeningHours): string[] => [
  ...WEEKDAYS.map((day) => `${dayName(day)}: ${intervalsText(weekdays[day] ?? [])}`),
  `Chairs: ${countText(chairs ?? 1)}`,
  `Minutes between slots: ${countText(slotMinutes ?? 15)}`,
  ...(exceptions ?? []).map((each) => `${dayText(each.date)}: ${intervalsText(each.intervals)}`),
];

export const isSame = (one: SetOpeningHours, other: SetOpeningHours): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const WEEKLY = WEEKDAYS.length + 2;

/** The lines of a version that the other one lacks. A date that it lacks entirely has its usual hours. */
export const differences = (
  one: SetOpeningHours,
  other: SetOpeningHours = NONE,
): { one: string[]; other: string[] } => {
  const [mine, theirs] = [linesOf(one), linesOf(other)];
  const only = (lines: string[], in_: string[]) => {
    const found = lines.filter((line) => !in_.includes(line));
    const dates = new Set(lines.slice(WEEKLY).map((line) => line.split(': ')[0]));
    const usual = in_
      .slice(WEEKLY)
      .map((line) => line.split(': ')[0])
      .filter((day) => !dates.has(day))
      .map((day) => `${day}: usual hours`);
    return [...found, ...usual];
  };
  return { one: only(mine, theirs), other: only(theirs, mine) };
};

/** Adds exceptions to a list in the order of their dates. An exception replaces another one of its date. */
export const withExceptions = (
  exceptions: readonly Exception[],
  added: readonly Exception[],
): Exception[] => {
  const byDate = new Map([...exceptions, ...added].map((each) => [each.date, each]));
  return [...byDate.values()].sort((one, other) => (one.date < other.date ? -1 : 1));
};

/** The value of a part of a draft: the newer one, unless the draft has changed it. */
const kept = <T>(mine: T, before: T, newer: T): T =>
  JSON.stringify(mine) === JSON.stringify(before) ? newer : mine;

/**
 * A draft on top of a newer version: what the draft has not changed is that of the newer version. The parts are each
 * weekday, each date, the chairs and the minutes between slots.
 */
export const rebased = (
  draft: Draft,
  base: OpeningHours | undefined,
  newer: OpeningHours | undefined,
): Draft => {
  const [mine, before, after] = [draft, draftOf(base), draftOf(newer)].map((each) => ({
    ...hoursOf(each),
    dates: new Map(each.exceptions.map((exception) => [exception.date, exception])),
  })) as [Parts, Parts, Parts];
  const dates = new Set([...mine.dates.keys(), ...after.dates.keys()]);
  return {
    weekdays: everyDay((day) =>
      (kept(mine.weekdays[day], before.weekdays[day], after.weekdays[day]) ?? []).map(typed),
    ),
    exceptions: withExceptions(
      [],
      [...dates].flatMap(
        (date) => kept(mine.dates.get(date), before.dates.get(date), after.dates.get(date)) ?? [],
      ),
    ),
    chairs: String(kept(mine.chairs, before.chairs, after.chairs)),
    slotMinutes: String(kept(mine.slotMinutes, before.slotMinutes, after.slotMinutes)),
  };
};
type Parts = SetOpeningHours & { dates: Map<string, Exception> };
