import type { CalendarBlock, Clinic, OpeningHours, SetOpeningHours } from '@chairside/client';
import { localIn, momentOf } from '../../clinics/clock.ts';
import { dayOf } from '../../clinics/days.ts';
import { shortDayName, WEEKDAYS, type Weekday } from '../../clinics/hours.ts';
import type { StoredHours } from '../../clinics/stored-hours.ts';
import { isKnownZone } from '../../clinics/zone.ts';
import { countText, nounAfter } from '../../components/texts/numbers.ts';
import { dayText, intervalsText, NONE, withExceptions } from './hours.ts';

/** The settings that can be applied to other clinics. */
export type Part = 'hours' | 'closed' | 'blocks';

/** A clinic with its settings. `blocks` are the coming ones of the whole clinic. */
export type Settings = { clinic: Clinic; stored: StoredHours; blocks: readonly CalendarBlock[] };

type NewBlock = Pick<CalendarBlock, 'clinicId' | 'startTime' | 'endTime' | 'kind'> & { providerId: null };

/** What applying settings changes at a clinic. */
export type Plan = {
  /** The hours to store; undefined if they stay. */
  hours?: SetOpeningHours;
  /** The blocks to create. */
  blocks: NewBlock[];
  /** The number of added and replaced days. */
  days: number;
  /** The changes in words. */
  lines: string[];
  /** Why nothing can be applied. */
  obstacle?: string;
};

type Interval = OpeningHours['exceptions'][number]['intervals'][number];

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** A length in words, such as `1 h 30 min`. */
const lengthText = (minutes: number): string => {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 && `${hours} h`, rest > 0 && `${rest} min`].filter(Boolean).join(' ');
};

/** Weekdays in words: `Mon to Fri`, `Mon and Tue`. */
const weekdaysText = (days: readonly Weekday[]): string => {
  const runs: Weekday[][] = [];
  for (const day of days) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run !== undefined && last !== undefined && WEEKDAYS.indexOf(day) === WEEKDAYS.indexOf(last) + 1)
      run.push(day);
    else runs.push([day]);
  }
  const parts = runs.flatMap((run) =>
    run.length > 2
      ? [`${shortDayName(run[0] as Weekday)} to ${shortDayName(run.at(-1) as Weekday)}`]
      : run.map(shortDayName),
  );
  const [last = '', ...others] = parts.reverse();
  return others.length === 0 ? last : `${others.reverse().join(', ')} and ${last}`;
};

const rangesText = (intervals: readonly Interval[]): string =>
  intervals.map(({ opens, closes }) => `${opens} to ${closes}`).join(', ');

/** The times between the intervals of a day. */
const breaksOf = (intervals: readonly Interval[]): Interval[] =>
  intervals.slice(1).map(({ opens }, index) => ({ opens: intervals[index]?.closes ?? opens, closes: opens }));

/** How the hours of a weekday change: sentences, in which `*` stands for the weekday. */
const changesOfDay = (before: readonly Interval[], after: readonly Interval[]): string[] => {
  if (intervalsText(before) === intervalsText(after)) return [];
  const [first, last] = [after[0], after.at(-1)];
  if (first === undefined || last === undefined) return ['Closed on *'];
  const [firstBefore, lastBefore] = [before[0], before.at(-1)];
  if (firstBefore === undefined || lastBefore === undefined) return [`Opens on *, ${rangesText(after)}`];
  const opens = minutesOf(first.opens) - minutesOf(firstBefore.opens);
  const closes = minutesOf(last.closes) - minutesOf(lastBefore.closes);
  // A break before the first or after the last hour of now is none.
  const within = ({ opens: from, closes: to }: Interval) => from >= first.opens && to <= last.closes;
  const breaksBefore = rangesText(breaksOf(before).filter(within));
  const breaks = rangesText(breaksOf(after));
  return [
    opens !== 0 && `Opens ${lengthText(Math.abs(opens))} ${opens < 0 ? 'earlier' : 'later'} on *`,
    closes !== 0 && `Closes ${lengthText(Math.abs(closes))} ${closes < 0 ? 'earlier' : 'later'} on *`,
    breaks !== breaksBefore && (breaks === '' ? 'No break on *' : `Break ${breaks} on *`),
  ].filter((each) => each !== false);
};

/** How the hours of a week change, in words: a sentence for all days that change in the same way. */
export const weekChanges = (before: OpeningHours['weekdays'], after: OpeningHours['weekdays']): string[] => {
  const days = new Map<string, Weekday[]>();
  for (const day of WEEKDAYS)
    for (const change of changesOfDay(before[day], after[day]))
      days.set(change, [...(days.get(change) ?? []), day]);
  return [...days].map(([change, of]) => change.replace('*', weekdaysText(of)));
};

const counted = (count: number, noun: string): string => `${countText(count)} ${nounAfter(count, noun)}`;

/** The coming closed days of a clinic. */
export const comingDays = ({ clinic, stored }: Settings, now: number): OpeningHours['exceptions'] =>
  (stored.hours?.exceptions ?? []).filter(({ date }) => date >= dayOf(now, clinic.timezone));

const blockKey = ({ startTime, endTime, kind }: Pick<CalendarBlock, 'startTime' | 'endTime' | 'kind'>) =>
  [Date.parse(startTime), Date.parse(endTime), kind].join(' ');

/** The blocks of a clinic at another one: at the same local times. */
const blocksAt = ({ clinic, blocks }: Settings, target: Clinic): NewBlock[] => {
  const there = (time: string): string =>
    new Date(momentOf(localIn(Date.parse(time), clinic.timezone), target.timezone).time).toISOString();
  return blocks.map(({ startTime, endTime, kind }) => ({
    clinicId: target._id,
    providerId: null,
    startTime: there(startTime),
    endTime: there(endTime),
    kind,
  }));
};

type DayChanges = { exceptions: OpeningHours['exceptions']; days: number; line: string };

/** What the closed days of one clinic change in those of another one. */
const dayChanges = (source: OpeningHours['exceptions'], target: OpeningHours['exceptions']): DayChanges => {
  const present = new Map(target.map(({ date, intervals }) => [date, intervalsText(intervals)]));
  const isThere = ({ date, intervals }: OpeningHours['exceptions'][number]) =>
    present.get(date) === intervalsText(intervals);
  const added = source.filter(({ date }) => !present.has(date));
  const replaced = source.filter((each) => present.has(each.date) && !isThere(each));
  const same = source.length - added.length - replaced.length;
  const changed = added.length + replaced.length;
  const texts = [
    added.length > 0 && `${counted(added.length, 'day')} added`,
    ...replaced.map(({ date }) => `replaces “${present.get(date)}” on ${dayText(date)}`),
    changed > 0 && same > 0 && `${countText(same)} already there`,
  ].filter((each) => each !== false);
  return {
    exceptions: withExceptions(target, [...added, ...replaced]),
    days: changed,
    line: texts.join(', '),
  };
};

/**
 * What applying settings of one clinic changes at another one. Chairs and the minutes between slots stay: they are those of the
 * rooms.
 *
 * @param parts the settings to apply
 * @param now days and blocks that have ended are left out
 */
export const planOf = (source: Settings, target: Settings, parts: ReadonlySet<Part>, now: number): Plan => {
  const { clinic, stored } = target;
  const nothing = { blocks: [], days: 0, lines: [] };
  if (clinic.timezone === undefined || !isKnownZone(clinic.timezone))
    return { ...nothing, obstacle: 'This clinic has no time zone that is known' };
  const ofSource = parts.has('hours') ? source.stored.hours?.weekdays : undefined;
  const takesDays = parts.has('closed');
  if (stored.hours === undefined && takesDays && ofSource === undefined)
    return { ...nothing, obstacle: 'This clinic has no opening hours yet' };
  const week = ofSource === undefined ? [] : weekChanges(stored.hours?.weekdays ?? NONE.weekdays, ofSource);
  const isFirst = stored.hours === undefined && ofSource !== undefined;
  const exceptions = stored.hours?.exceptions ?? [];
  const days = takesDays
    ? dayChanges(comingDays(source, now), exceptions)
    : { exceptions, days: 0, line: '' };
  const there = new Set(target.blocks.map(blockKey));
  const all = parts.has('blocks') ? blocksAt(source, clinic) : [];
  const blocks = all.filter((block) => !there.has(blockKey(block)));
  const isChanged = isFirst || week.length > 0 || days.days > 0;
  return {
    ...(isChanged && {
      hours: {
        ...stored.hours,
        weekdays: ofSource ?? stored.hours?.weekdays ?? NONE.weekdays,
        exceptions: days.exceptions,
      },
    }),
    blocks,
    days: days.days,
    lines: [
      days.line,
      ...(isFirst ? ['First hours of this clinic'] : week),
      blocks.length > 0 ? `${counted(blocks.length, 'block')} added` : '',
    ].filter((line) => line !== ''),
  };
};
