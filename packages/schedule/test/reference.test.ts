import { appointmentStatuses, type OpeningHours, readOpeningHours, weekdays } from '@chairside/domain';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  countByDay,
  countWindow,
  findSlots,
  type SlotSearch,
  slotWindow,
  timeProblem,
} from '../src/index.ts';
import { type Given, occupiedBy } from './occupied.ts';
import {
  clockOf,
  DAY,
  MINUTE,
  minutesOfSearch,
  problemByMinute,
  slotsByMinute,
  ticksOf,
} from './reference.ts';

/** The number of random weeks in each test. `npm run check:release` sets a higher number. */
const RUNS = Number(process.env.SCHEDULE_RUNS ?? 15);

/** The number of random days. `npm run check:release` sets a higher number. */
const DAYS = Number(process.env.SCHEDULE_DAYS ?? 500);
/** These few days reach every rule. `npm run check:release` draws others each time. */
const SEED_OF_DAYS = process.env.SCHEDULE_DAYS === undefined ? { seed: 1 } : {};

/** Zones with and without daylight saving time, in both hemispheres, and with clock changes at unusual times. */
const ZONES = [
  'UTC',
  'Europe/Zurich',
  'America/New_York',
  'Australia/Sydney',
  // The clocks change by half an hour.
  'Australia/Lord_Howe',
  // The clocks change by two hours.
  'Antarctica/Troll',
  'Asia/Kathmandu',
  'Pacific/Chatham',
  // In some of the years, the clocks skip midnight or show it twice.
  'America/Santiago',
  'America/Havana',
  'Africa/Cairo',
  'Africa/Casablanca',
  // The day 30 December 2011 does not exist.
  'Pacific/Apia',
  // Until 2011, the clocks went back at 00:01 to the previous day.
  'America/St_Johns',
] as const;
const YEARS = [2010, 2011, 2026, 2027];

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The days in these years on which the clocks of a zone change. */
const changesOf = (timezone: string): number[] =>
  YEARS.flatMap((year) =>
    Array.from({ length: 365 }, (_, day) => Date.UTC(year, 0, 1) + day * DAY).filter(
      (day) => clockOf(timezone, day + DAY) - clockOf(timezone, day) !== DAY,
    ),
  );
const days = new Map(ZONES.map((zone) => [zone, [...changesOf(zone), Date.UTC(2027, 5, 14)]]));

const localTime = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** The intervals of a day. Some touch the next interval, and some are followed by a gap. */
const intervals = fc
  .uniqueArray(fc.oneof(fc.integer({ min: 0, max: 1440 }), fc.constantFrom(0, 60, 120, 150, 180, 1440)), {
    maxLength: 6,
  })
  .map((times) => {
    const sorted = times.toSorted((one, other) => one - other);
    return sorted.flatMap((opens, index) => {
      const closes = sorted[index + 1];
      return closes === undefined || (index % 2 === 1 && opens % 2 === 0)
        ? []
        : [{ opens: localTime(opens), closes: localTime(closes) }];
    });
  });

const hours = fc
  .record({
    regular: fc.array(intervals, { minLength: 7, maxLength: 7 }),
    exceptions: fc.array(fc.tuple(fc.integer({ min: 0, max: 8 }), intervals), { maxLength: 2 }),
    chairs: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 8 })),
    slotMinutes: fc.constantFrom(5, 7, 15, 20, 45, 60, 240),
  })
  .map(({ regular, exceptions, ...rest }) => (from: number): OpeningHours => {
    const read = readOpeningHours({
      ...rest,
      weekdays: Object.fromEntries(weekdays.map((day, index) => [day, regular[index]])),
      exceptions: [...new Map(exceptions)].map(([day, own]) => ({
        date: dateOf(from + day * DAY),
        intervals: own,
      })),
    });
    if ('issues' in read) throw new Error(JSON.stringify(read.issues));
    return read.hours;
  });

/**
 * Minutes after the beginning of the range in UTC: either whole quarters of an hour, so that times often coincide, or
 * any minute.
 */
const minute = fc.oneof(
  fc.integer({ min: -2 * 96, max: 10 * 96 }).map((quarters) => quarters * 15),
  fc.integer({ min: -2 * 1440, max: 10 * 1440 }),
);
const length = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 24 }).map((quarters) => quarters * 15) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 300 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, -30, 1440, 31 * 1440) },
);
const appointment = fc.record({
  /** The crowd of the appointment, and how many minutes after the time of the crowd the appointment begins. */
  crowd: fc.nat(),
  delay: fc.oneof(fc.constantFrom(0, 15, 30, 60), fc.integer({ min: 0, max: 240 })),
  length: fc.option(length, { nil: undefined, freq: 6 }),
  status: fc.constantFrom(...appointmentStatuses),
  clinicId: fc.constantFrom('here', 'here', 'here', 'there'),
  providerId: fc.option(fc.constantFrom('ada', 'bo'), { nil: undefined, freq: 2 }),
});
const block = fc.record({
  start: minute,
  length: fc.integer({ min: 0, max: 1500 }),
  clinicId: fc.constantFrom('here', 'there'),
  providerId: fc.option(fc.constantFrom('ada', 'bo'), { nil: undefined, freq: 2 }),
});

const week = fc.record({
  timezone: fc.constantFrom(...ZONES),
  /** The clock change near which the range lies, and the number of days by which the range begins before it. */
  change: fc.nat(),
  lead: fc.integer({ min: 0, max: 3 }),
  length: fc.integer({ min: 1, max: 7 }),
  hours,
  /** The times of the crowds. Appointments begin close together, so that all chairs are sometimes occupied. */
  crowds: fc.array(minute, { minLength: 1, maxLength: 8 }),
  appointments: fc.array(appointment, { maxLength: 120, size: 'max' }),
  blocks: fc.array(block, { maxLength: 10, size: 'max' }),
  durationMinutes: fc.oneof(fc.integer({ min: 1, max: 180 }), fc.constantFrom(15, 30, 60, 720, 1440)),
  providerId: fc.option(fc.constantFrom('ada', 'bo'), { nil: undefined, freq: 2 }),
  now: fc.oneof(
    { weight: 2, arbitrary: fc.constant(-10 * 1440) },
    { weight: 2, arbitrary: minute },
    { weight: 1, arbitrary: fc.constant(20 * 1440) },
  ),
});

type Week = typeof week extends fc.Arbitrary<infer W> ? W : never;

/** The arguments of the functions for a generated week. */
const questionOf = (given: Week) => {
  const changes = days.get(given.timezone) ?? [];
  const from = (changes[given.change % changes.length] ?? 0) - given.lead * DAY;
  const at = (minutes: number): Date => new Date(from + minutes * MINUTE);
  const search: SlotSearch = {
    clinicId: 'here',
    from: dateOf(from),
    to: dateOf(from + (given.length - 1) * DAY),
    durationMinutes: given.durationMinutes,
    providerId: given.providerId,
  };
  const occupied: Given = {
    appointments: given.appointments.map(({ crowd, delay, length, status, clinicId, providerId }) => {
      const start = (given.crowds[crowd % given.crowds.length] ?? 0) + delay;
      return {
        clinicId,
        ...(providerId !== undefined && { providerId }),
        startTime: at(start),
        ...(length !== undefined && { endTime: at(start + length) }),
        status,
      };
    }),
    blocks: given.blocks.map((each) => ({
      clinicId: each.clinicId,
      ...(each.providerId !== undefined && { providerId: each.providerId }),
      startTime: at(each.start).toISOString(),
      endTime: at(each.start + each.length).toISOString(),
    })),
  };
  return { search, occupied, hours: given.hours(from), timezone: given.timezone, now: at(given.now) };
};

/** The appointments and blocks that overlap the window of a search. */
const within = ({ from, to }: { from: Date; to: Date }, { appointments, blocks }: Given, slot: number) => ({
  appointments: appointments.filter(
    ({ startTime, endTime }) =>
      startTime < to && (endTime ?? new Date(startTime.getTime() + slot * MINUTE)) > from,
  ),
  blocks: blocks.filter(({ startTime, endTime }) => new Date(startTime) < to && new Date(endTime) > from),
});

test(`in ${RUNS} random weeks, the free slots and the reason for none are those of a search minute by minute`, () => {
  const outcomes = new Set<string>();
  fc.assert(
    fc.property(week, (given) => {
      const { search, occupied, hours: own, timezone, now } = questionOf(given);
      const expected = slotsByMinute(minutesOfSearch(search, timezone, own, occupied), search, now);
      const window = slotWindow(timezone, search) as { from: Date; to: Date };
      const inWindow = within(window, occupied, own.slotMinutes);
      for (const each of [occupied, inWindow]) {
        const found = findSlots(search, { timezone, hours: own }, occupiedBy(each, search), now);
        outcomes.add(found.outcome === 'found' ? 'found' : found.reason);
        const shown =
          found.outcome === 'found'
            ? { slots: found.slots.map(({ start }) => start.getTime()) }
            : { reason: found.reason };
        expect(shown).toEqual(expected);
        if (found.outcome === 'none') continue;
        for (const { start, end } of found.slots) {
          expect(end.getTime() - start.getTime()).toBe(search.durationMinutes * MINUTE);
        }
      }
    }),
    { numRuns: RUNS },
  );
  // Check that the generator reaches more than one outcome.
  expect(outcomes.size).toBeGreaterThan(1);
});

const blockOfDay = fc.record({
  start: fc.integer({ min: 0, max: 1440 }),
  length: fc.integer({ min: 0, max: 300 }),
  clinicId: fc.constantFrom('here', 'here', 'there'),
  providerId: fc.option(fc.constantFrom('ada', 'bo'), { nil: undefined, freq: 2 }),
});

/** A day near a change of the clocks, with the times of its appointments and of a booking in minutes after midnight. */
const day = fc.record({
  timezone: fc.constantFrom(...ZONES),
  change: fc.nat(),
  lead: fc.integer({ min: 0, max: 1 }),
  hours,
  appointments: fc.array(
    fc.record({
      start: fc.integer({ min: 0, max: 48 }).map((half) => half * 30),
      length: fc.option(
        fc.integer({ min: 0, max: 12 }).map((quarters) => quarters * 15),
        { freq: 8 },
      ),
      status: fc.constantFrom('SCHEDULED' as const, 'REQUESTED' as const, 'CANCELED' as const),
      clinicId: fc.constantFrom('here', 'here', 'there'),
      providerId: fc.option(fc.constantFrom('ada', 'bo'), { nil: undefined, freq: 3 }),
    }),
    { maxLength: 30 },
  ),
  blocks: fc.array(blockOfDay, { maxLength: 3 }),
  durationMinutes: fc.constantFrom(15, 30, 60, 90),
  providerId: fc.option(fc.constantFrom('ada', 'bo'), { nil: undefined, freq: 3 }),
  now: fc.constantFrom(-1440, -1440, 300, 700),
  booking: fc.record({
    start: fc.integer({ min: 0, max: 1440 }),
    length: fc.oneof(fc.constantFrom(15, 30, 60), fc.integer({ min: 1, max: 200 })),
  }),
});

test(`on ${DAYS} random days with appointments of providers, slots and bookings are those of a search minute by minute`, () => {
  const reasons = new Set<string>();
  fc.assert(
    fc.property(day, (given) => {
      const changes = days.get(given.timezone) ?? [];
      const from = (changes[given.change % changes.length] ?? 0) - given.lead * DAY;
      const at = (minutes: number): Date => new Date(from + minutes * MINUTE);
      const { timezone, durationMinutes, providerId } = given;
      const date = dateOf(from);
      const search = { clinicId: 'here', from: date, to: date, durationMinutes, providerId };
      const occupied: Given = {
        appointments: given.appointments.map(({ start, length, providerId: ofAppointment, ...rest }) => ({
          ...rest,
          ...(ofAppointment !== undefined && { providerId: ofAppointment }),
          startTime: at(start),
          ...(length !== null && { endTime: at(start + length) }),
        })),
        blocks: given.blocks.map((each) => ({
          clinicId: each.clinicId,
          ...(each.providerId !== undefined && { providerId: each.providerId }),
          startTime: at(each.start).toISOString(),
          endTime: at(each.start + each.length).toISOString(),
        })),
      };
      const [own, now] = [given.hours(from), at(given.now)];
      const minutes = minutesOfSearch(search, timezone, own, occupied, 2 * DAY);
      const found = findSlots(search, { timezone, hours: own }, occupiedBy(occupied, search), now);
      reasons.add(found.outcome === 'found' ? 'found' : found.reason);
      expect(
        found.outcome === 'found'
          ? { slots: found.slots.map(({ start }) => start.getTime()) }
          : { reason: found.reason },
      ).toEqual(slotsByMinute(minutes, search, now));

      const { start, length } = given.booking;
      const booking = { clinicId: 'here', providerId, startTime: at(start), endTime: at(start + length) };
      const problem = timeProblem(booking, { timezone, hours: own }, occupiedBy(occupied, booking), now);
      reasons.add(`booking ${problem ?? 'free'}`);
      expect(problem).toBe(problemByMinute(minutes, { start: at(start).getTime(), length }, now));
    }),
    { numRuns: DAYS, ...SEED_OF_DAYS },
  );
  // Check that the generator reaches every rule.
  for (const reason of ['closed', 'too_long', 'past', 'blocked', 'fully_booked', 'provider_busy', 'free'])
    expect(reasons).toContain(`booking ${reason}`);
  expect(reasons).toContain('found');
});

test(`in ${RUNS} random weeks, each day counts the appointments that begin while clocks show its date`, () => {
  fc.assert(
    fc.property(week, (given) => {
      const { search, occupied, timezone } = questionOf(given);
      const dates = new Map(ticksOf(timezone, search).map(({ moment, date }) => [moment, date]));
      const counts = countByDay(timezone, search, occupied.appointments);
      const window = countWindow(timezone, search);
      const begins = occupied.appointments.filter(
        ({ startTime }) => startTime >= window.from && startTime < window.to,
      );
      expect(countByDay(timezone, search, begins)).toEqual(counts);
      for (const { date, total, byStatus } of counts) {
        const own = occupied.appointments.filter(({ startTime }) => dates.get(startTime.getTime()) === date);
        expect(total).toBe(own.length);
        for (const status of appointmentStatuses) {
          expect(byStatus[status]).toBe(own.filter((each) => each.status === status).length);
        }
      }
      expect(counts.reduce((sum, { total }) => sum + total, 0)).toBe(begins.length);
    }),
    { numRuns: RUNS },
  );
});

test(`in ${RUNS} random weeks with times in milliseconds, exactly the slots that contain a fully booked moment are omitted`, () => {
  fc.assert(
    fc.property(week, fc.array(fc.nat(59_999), { minLength: 120, maxLength: 120 }), (given, shifts) => {
      const { search, occupied, hours: own, timezone } = questionOf({ ...given, providerId: undefined });
      const appointments = occupied.appointments.map(({ startTime, endTime, ...place }, index) => ({
        ...place,
        startTime: new Date(startTime.getTime() + (shifts[index] ?? 0)),
        ...(endTime && { endTime: new Date(endTime.getTime() + (shifts.at(-index) ?? 0)) }),
      }));
      const spans = appointments
        .filter(
          ({ status, clinicId }) => clinicId === 'here' && status !== 'CANCELED' && status !== 'NO_SHOW',
        )
        .map(({ startTime, endTime }) => ({
          start: startTime.getTime(),
          end: endTime?.getTime() ?? startTime.getTime() + own.slotMinutes * MINUTE,
        }));
      const loadAt = (moment: number): number =>
        spans.filter(({ start, end }) => start <= moment && moment < end).length;
      const startsOf = (taken: Given['appointments']): number[] => {
        const found = findSlots(
          search,
          { timezone, hours: own },
          occupiedBy({ ...occupied, appointments: taken }, search),
          new Date(0),
        );
        return found.outcome === 'found' ? found.slots.map(({ start }) => start.getTime()) : [];
      };
      const expected = startsOf([]).filter((start) => {
        const end = start + search.durationMinutes * MINUTE;
        // The load rises only when an appointment begins.
        const rises = spans.flatMap((span) => (span.start > start && span.start < end ? [span.start] : []));
        return [start, ...rises].every((moment) => loadAt(moment) < own.chairs);
      });
      expect(startsOf(appointments)).toEqual(expected);
    }),
    { numRuns: RUNS },
  );
});
