import { type BusyInterval, type OpeningHours, readOpeningHours } from '@chairside/domain';
import { Temporal } from 'temporal-polyfill';
import { expect, test, vi } from 'vitest';
import {
  countByDay,
  dayRangeProblem,
  findSlots,
  isKnownZone,
  localTimeIn,
  openingHoursOf,
  type SlotSearch,
  slotWindow,
} from '../src/index.ts';
import { type Given, occupiedBy } from './occupied.ts';

const hoursOf = (value: object): OpeningHours => {
  const read = readOpeningHours(value);
  if ('issues' in read) throw new Error(JSON.stringify(read.issues));
  return read.hours;
};
const allWeek = (opens: string, closes: string, more: object = {}): OpeningHours =>
  hoursOf({
    weekdays: Object.fromEntries(
      ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map((day) => [
        day,
        [{ opens, closes }],
      ]),
    ),
    ...more,
  });
/** This day is a Monday. */
const MONDAY = '2026-06-01';
const monday = (opens: string, closes: string, more: object = {}) =>
  hoursOf({ weekdays: { monday: [{ opens, closes }] }, ...more });

const search = (more: Partial<SlotSearch> = {}): SlotSearch => ({
  clinicId: 'here',
  from: MONDAY,
  to: MONDAY,
  durationMinutes: 30,
  ...more,
});
const EARLY = new Date('2000-01-01T00:00:00Z');
const busy = (start: string, end?: string, status: BusyInterval['status'] = 'SCHEDULED'): BusyInterval => ({
  clinicId: 'here',
  startTime: new Date(`${MONDAY}T${start}Z`),
  ...(end !== undefined && { endTime: new Date(`${MONDAY}T${end}Z`) }),
  status,
});
const none: Given = { appointments: [], blocks: [] };

/** The starts of the free slots, or the reason why there is none. */
const starts = (
  hours: OpeningHours | undefined,
  { more = {}, occupied = none, now = EARLY, timezone = 'UTC' } = {} as {
    more?: Partial<SlotSearch>;
    occupied?: Partial<Given>;
    now?: Date;
    /** `null` means that the clinic has no time zone. */
    timezone?: string | null;
  },
) => {
  const found = findSlots(
    search(more),
    { timezone: timezone ?? undefined, hours },
    occupiedBy({ ...none, ...occupied }, search(more)),
    now,
  );
  return found.outcome === 'found'
    ? found.slots.map(({ start }) => start.toISOString().slice(11, 16))
    : found.reason;
};

test('the grid begins with each opening interval, and a slot must end in opening hours', () => {
  const hours = hoursOf({
    weekdays: {
      monday: [
        { opens: '08:10', closes: '09:10' },
        { opens: '10:00', closes: '11:00' },
      ],
    },
    slotMinutes: 20,
  });
  expect(starts(hours)).toEqual(['08:10', '08:30', '10:00', '10:20']);
});

test('intervals that touch count as one opening, even across midnight', () => {
  const night = hoursOf({
    weekdays: {
      monday: [
        { opens: '22:00', closes: '23:00' },
        { opens: '23:00', closes: '24:00' },
      ],
      tuesday: [{ opens: '00:00', closes: '00:30' }],
    },
    slotMinutes: 60,
  });
  expect(starts(night, { more: { durationMinutes: 90 } })).toEqual(['22:00', '23:00']);
  expect(starts(night, { more: { durationMinutes: 150 } })).toEqual(['22:00']);
  expect(starts(night, { more: { durationMinutes: 151 } })).toBe('too_long');
});

test('an exception replaces the hours of its date', () => {
  const hours = monday('08:00', '09:00', {
    exceptions: [
      { date: '2026-06-08', intervals: [] },
      { date: '2026-06-09', intervals: [{ opens: '12:00', closes: '12:30' }] },
    ],
  });
  expect(starts(hours, { more: { to: '2026-06-15' } })).toEqual(
    [MONDAY, '2026-06-09', '2026-06-15'].flatMap((date) =>
      date === '2026-06-09' ? ['12:00'] : ['08:00', '08:15', '08:30'],
    ),
  );
});

test('a slot is free while fewer appointments than there are chairs occupy it', () => {
  const appointments = [
    busy('08:00', '08:30', 'REQUESTED'),
    busy('08:15', '09:00', 'PATIENT_ARRIVED'),
    busy('08:00', '09:00', 'CANCELED'),
    busy('08:00', '09:00', 'NO_SHOW'),
    busy('09:00', '09:00'),
    // An appointment without an end occupies one slot.
    busy('09:30'),
  ];
  const at = (chairs: number) =>
    starts(monday('08:00', '10:00', { chairs }), {
      more: { durationMinutes: 15 },
      occupied: { appointments },
    });
  expect(at(1)).toEqual(['09:00', '09:15', '09:45']);
  expect(at(2)).toEqual(['08:00', '08:30', '08:45', '09:00', '09:15', '09:30', '09:45']);
  expect(at(3)).toHaveLength(8);
});

test('blocks of the clinic always apply; blocks of a provider apply only to this provider, in every clinic', () => {
  const block = (clinicId: string, hour: string, providerId?: string) => ({
    clinicId,
    ...(providerId !== undefined && { providerId }),
    startTime: `${MONDAY}T${hour}:00.000Z`,
    endTime: `${MONDAY}T${hour.slice(0, 3)}30:00.000Z`,
  });
  const occupied = {
    blocks: [
      block('here', '08:00'),
      block('there', '09:00'),
      block('here', '10:00', 'ada'),
      block('there', '11:00', 'ada'),
    ],
  };
  const at = (providerId?: string) =>
    starts(monday('08:00', '12:00', { slotMinutes: 30 }), { more: { providerId }, occupied });
  const free = ['08:30', '09:00', '09:30', '10:00', '10:30', '11:00', '11:30'];
  expect(at()).toEqual(free);
  expect(at('bo')).toEqual(free);
  expect(at('ada')).toEqual(['08:30', '09:00', '09:30', '10:30', '11:30']);
});

test('appointments of a provider occupy the provider at every clinic, and chairs only at their own clinic', () => {
  const occupied = {
    appointments: [
      { ...busy('08:00', '09:00'), providerId: 'ada' },
      { ...busy('09:00', '10:00'), providerId: 'ada', clinicId: 'there' },
      { ...busy('10:00'), providerId: 'ada', clinicId: 'there' },
      { ...busy('11:00', '12:00', 'CANCELED'), providerId: 'ada' },
    ],
  };
  const at = (chairs: number, providerId?: string) =>
    starts(monday('08:00', '12:00', { chairs, slotMinutes: 30 }), { more: { providerId }, occupied });
  expect(at(1)).toEqual(['09:00', '09:30', '10:00', '10:30', '11:00', '11:30']);
  expect(at(2)).toHaveLength(8);
  expect(at(2, 'bo')).toHaveLength(8);
  expect(at(2, 'ada')).toEqual(['10:30', '11:00', '11:30']);
});

test('all slots are in the future', () => {
  const at = (time: string) => starts(monday('08:00', '09:00'), { now: new Date(`${MONDAY}T${time}Z`) });
  expect(at('07:59:59.999')).toEqual(['08:00', '08:15', '08:30']);
  expect(at('08:00')).toEqual(['08:15', '08:30']);
  expect(at('08:30')).toBe('past');
});

test('the reason is the first rule that leaves no slot', () => {
  const hours = monday('08:00', '09:00');
  const whole = { clinicId: 'here', startTime: `${MONDAY}T00:00:00Z`, endTime: `${MONDAY}T23:00:00Z` };
  const appointments = [busy('08:00', '09:00')];
  expect(starts(hours, { timezone: null })).toBe('no_time_zone');
  expect(starts(hours, { timezone: 'Mars/Olympus' })).toBe('no_time_zone');
  expect(slotWindow('Mars/Olympus', search())).toBeUndefined();
  expect(starts(undefined)).toBe('no_opening_hours');
  expect(starts(hours, { more: { from: '2026-06-02', to: '2026-06-07' } })).toBe('closed');
  expect(starts(hours, { more: { durationMinutes: 61 } })).toBe('too_long');
  expect(starts(hours, { now: new Date('2027-01-01'), occupied: { blocks: [whole] } })).toBe('past');
  expect(starts(hours, { occupied: { blocks: [whole], appointments } })).toBe('blocked');
  expect(starts(hours, { occupied: { appointments } })).toBe('fully_booked');
  const elsewhere = { ...busy('08:00', '09:00'), clinicId: 'there', providerId: 'ada' };
  const ofAda = { more: { providerId: 'ada' }, occupied: { appointments: [elsewhere] } };
  expect(starts(hours, ofAda)).toBe('provider_busy');
});

test('days of 23 and 25 hours have slots in all of their hours; times that the clocks skip have none', () => {
  const count = (timezone: string, date: string, hours = allWeek('00:00', '24:00', { slotMinutes: 30 })) => {
    const given = { more: { from: date, to: date }, timezone };
    const found = starts(hours, given);
    return Array.isArray(found) ? found.length : found;
  };
  expect(count('Europe/Zurich', '2026-03-28')).toBe(48);
  expect(count('Europe/Zurich', '2026-03-29')).toBe(46);
  expect(count('Europe/Zurich', '2026-10-25')).toBe(50);
  expect(count('Australia/Lord_Howe', '2026-04-05')).toBe(49);
  expect(count('Australia/Lord_Howe', '2026-10-04')).toBe(47);
  expect(count('Pacific/Apia', '2011-12-30')).toBe('closed');
  expect(count('Europe/Zurich', '2026-03-29', allWeek('02:00', '03:00'))).toBe('closed');
  // The first slot begins at the first of the two moments that clocks show as 02:30. The extra hour adds slots until
  // 04:00.
  expect(count('Europe/Zurich', '2026-10-25', allWeek('02:30', '04:00', { slotMinutes: 30 }))).toBe(5);
});

test('opening hours are returned as moments, and appointments count on the local day of their start', () => {
  const range = { from: '2026-03-28', to: '2026-03-30' };
  const days = openingHoursOf({ hours: allWeek('00:00', '08:00'), timezone: 'Europe/Zurich' }, range);
  expect(
    days.map(({ intervals }) =>
      intervals.map(({ start, end }) => [start, end].map((at) => at.toISOString())),
    ),
  ).toEqual([
    [['2026-03-27T23:00:00.000Z', '2026-03-28T07:00:00.000Z']],
    [['2026-03-28T23:00:00.000Z', '2026-03-29T06:00:00.000Z']],
    [['2026-03-29T22:00:00.000Z', '2026-03-30T06:00:00.000Z']],
  ]);
  const started = [
    '2026-03-27T22:59:59.999Z',
    '2026-03-27T23:00:00Z',
    '2026-03-29T21:59:59Z',
    '2026-03-29T22:00:00Z',
    '2026-03-30T22:00:00Z',
  ];
  const counts = countByDay(
    'Europe/Zurich',
    range,
    started.map((time) => ({ startTime: new Date(time), status: 'NO_SHOW' })),
  );
  expect(counts.map(({ date, total }) => [date, total])).toEqual([
    ['2026-03-28', 1],
    ['2026-03-29', 1],
    ['2026-03-30', 1],
  ]);
  expect(counts[0]?.byStatus).toEqual({
    REQUESTED: 0,
    SCHEDULED: 0,
    PATIENT_ARRIVED: 0,
    NO_SHOW: 1,
    CANCELED: 0,
  });
});

test('ranges have at most 31 or 92 days, and errors describe the problem', () => {
  expect(dayRangeProblem({ from: '2026-01-01', to: '2026-01-31' }, 31)).toBeUndefined();
  expect(dayRangeProblem({ from: '2026-01-01', to: '2026-02-01' }, 31)).toMatch(/at most 31 days/);
  expect(dayRangeProblem({ from: '2026-01-02', to: '2026-01-01' }, 31)).toMatch(/not be before/);
  expect(dayRangeProblem({ from: '2026-02-29', to: '2026-03-01' }, 31)).toMatch(/from must be a date/);
  expect(dayRangeProblem({ from: '9999-12-30', to: '9999-12-30' }, 31)).toBeUndefined();
  expect(dayRangeProblem({ from: '9999-12-30', to: '9999-12-31' }, 31)).toMatch(/not be after 9999-12-30/);
  expect(() =>
    findSlots(
      search({ to: '2026-07-02' }),
      { timezone: 'UTC', hours: undefined },
      occupiedBy(none, search()),
      EARLY,
    ),
  ).toThrow(RangeError);
  expect(() => slotWindow('UTC', search({ durationMinutes: 0 }))).toThrow(/durationMinutes must be from 1/);
  expect(() => countByDay('UTC', { from: '2026-01-01', to: '2026-04-03' }, [])).toThrow(/92 days/);
  expect(starts(allWeek('08:00', '09:00'), { more: { from: '9999-12-30', to: '9999-12-30' } })).toHaveLength(
    3,
  );
  expect([isKnownZone('Asia/Kolkata'), isKnownZone('+02:00'), isKnownZone('2030-01-01[UTC]')]).toEqual([
    true,
    false,
    false,
  ]);
});

test('calculates with each time zone that a clinic can have', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const short = letters.flatMap((a) => letters.flatMap((b) => [a + b, ...letters.map((c) => a + b + c)]));
  const zones = [...short, ...Intl.supportedValuesOf('timeZone')].flatMap((zone) => [
    zone,
    zone.toLowerCase(),
  ]);
  const known = zones.filter(isKnownZone);
  expect(known.length).toBeGreaterThan(400);
  for (const zone of known) expect(localTimeIn(zone)(EARLY)).toMatch(/T/);
  // Node.js knows these abbreviations, which have no one meaning and are not in the database of IANA.
  expect(['IST', 'PST', 'BST', 'pst', 'EST', '+02:00'].filter(isKnownZone)).toEqual([]);
  expect(['CET', 'GMT', 'UTC', 'PRC'].filter(isKnownZone)).toHaveLength(4);
});

test('formats moments in local time, even in the hour that clocks show twice', () => {
  const shown = localTimeIn('Europe/Berlin');
  for (const [time, local] of [
    ['2026-06-01T08:00:00Z', '2026-06-01T10:00:00+02:00'],
    ['2026-10-25T00:30:00.123Z', '2026-10-25T02:30:00+02:00'],
    ['2026-10-25T01:00:00Z', '2026-10-25T02:00:00+01:00'],
    ['2026-10-25T01:30:00Z', '2026-10-25T02:30:00+01:00'],
    // This moment is earlier than the one before it in this list.
    ['2026-03-29T00:59:59Z', '2026-03-29T01:59:59+01:00'],
    ['2026-03-29T01:00:00Z', '2026-03-29T03:00:00+02:00'],
  ] as const)
    expect(shown(new Date(time))).toBe(local);
  const moment = new Date('2026-06-01T08:00:00Z');
  const afterChange = localTimeIn('Europe/Paris');
  expect(afterChange(new Date('2026-10-25T01:00:00Z'))).toBe('2026-10-25T02:00:00+01:00');
  expect(afterChange(new Date('2026-10-25T00:59:00Z'))).toBe('2026-10-25T02:59:00+02:00');
  expect(localTimeIn('UTC')(moment)).toBe('2026-06-01T08:00:00+00:00');
  expect(localTimeIn('America/St_Johns')(moment)).toBe('2026-06-01T05:30:00-02:30');
  expect(() => localTimeIn('Mars/Olympus')).toThrow(RangeError);
});

test('a search converts few local times, however many intervals a day has', () => {
  const convert = vi.spyOn(Temporal.PlainDateTime.prototype, 'toZonedDateTime');
  const transitions = vi.spyOn(Temporal.ZonedDateTime.prototype, 'getTimeZoneTransition');
  const half = (hour: number, minute: number) =>
    `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
  const intervals = Array.from({ length: 48 }, (_, index) => ({
    opens: half(index >> 1, 30 * (index & 1) + 1),
    closes: half(index >> 1, 30 * (index & 1) + 7),
  }));
  const hours = hoursOf({ weekdays: { ...allWeek('00:00', '24:00').weekdays, monday: intervals } });
  const days = { from: '2031-05-01', to: '2031-05-31' };
  expect(starts(hours, { more: { ...days, durationMinutes: 5 }, timezone: 'Europe/Berlin' })).not.toEqual([]);
  localTimeIn('Africa/Nouakchott')(EARLY);
  expect(convert.mock.calls.length).toBeLessThanOrEqual(2 * 33);
  expect(transitions).not.toHaveBeenCalled();
});

test.each(['Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Asia/Kolkata'])(
  'opening times are those of the clocks of %s, and shown as they are',
  (timezone) => {
    const hours = allWeek('00:30', '13:45');
    const shown = localTimeIn(timezone);
    for (let month = 1; month <= 12; month++) {
      const from = Temporal.PlainDate.from({ year: 2026, month, day: 1 });
      const range = {
        from: from.toString(),
        to: from.toPlainYearMonth().toPlainDate({ day: from.daysInMonth }).toString(),
      };
      for (const { date, intervals } of openingHoursOf({ hours, timezone }, range)) {
        const at = (time: string) => Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(timezone);
        expect(intervals).toEqual([
          { start: new Date(at('00:30').epochMilliseconds), end: new Date(at('13:45').epochMilliseconds) },
        ]);
        for (const time of ['00:30', '13:45'])
          expect(shown(new Date(at(time).epochMilliseconds))).toBe(
            at(time).toString({ timeZoneName: 'never', smallestUnit: 'second' }),
          );
      }
    }
  },
);
