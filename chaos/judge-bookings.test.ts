import { expect, test } from 'vitest';
import type { BookingEvidence, Occupation, RefusedBooking } from './bookings.ts';
import type { LoggedEvent } from './evidence.ts';
import { good, outage } from './good-run.ts';
import { judge } from './judge.ts';

const NINE = Date.parse('2035-06-04T09:00:00Z');
const MINUTE = 60_000;
const CLINIC = good.bookings.clinicId;

const slot = (from: number, to: number, providerId?: string) => ({
  start: NINE + from * MINUTE,
  end: NINE + to * MINUTE,
  ...(providerId && { providerId }),
});
/** An appointment that was booked at this second and is still there. */
const occupation = (appointmentId: string, seconds: number, time = slot(0, 30)): Occupation => ({
  ...{ ...time, appointmentId },
  ...{ requested: seconds * 1000, confirmed: seconds * 1000 + 100 },
});
const refusal = (seconds: number, more: Partial<RefusedBooking> = {}): RefusedBooking => ({
  ...slot(15, 45),
  ...{ requested: seconds * 1000, refused: seconds * 1000 + 100, reason: 'fully_booked', isRepeated: false },
  ...more,
});
const eventOf = ({ appointmentId, start, end, providerId }: Occupation, more: object = {}): LoggedEvent => ({
  _id: `event of ${appointmentId} ${JSON.stringify(more)}`,
  event: 'appointment.created',
  about: [appointmentId],
  clinicIds: [CLINIC],
  body: JSON.stringify({
    data: {
      ...{ _id: appointmentId, clinicId: CLINIC, status: 'SCHEDULED', providerId },
      startTime: new Date(start).toISOString(),
      endTime: new Date(end).toISOString(),
      lastEditTime: '2035-01-01T00:00:00.000Z',
      reminders: [{ mark: appointmentId }],
      ...more,
    },
  }),
});

const one = occupation('one', 10, slot(0, 30, 'ines'));
const two = occupation('two', 20);
/** It left its time at 40 s. */
const moved = { ...occupation('moved', 30, slot(30, 60)), releasing: 40_000, released: 40_100 };
const run = (bookings: Partial<BookingEvidence>, more: object = {}) => {
  const occupations = bookings.occupations ?? [one, two, moved];
  return judge({
    ...good,
    bookings: { ...good.bookings, occupations, ...bookings },
    events: [
      ...good.events,
      ...occupations.filter(({ released }) => released === undefined).map((each) => eventOf(each)),
    ],
    ...more,
  });
};

test('finds no violation if two bookings fill two chairs, and a third is refused', () => {
  expect(run({ refusals: [refusal(25)] })).toEqual([]);
});

test('allows the next booking from the moment on at which the one before ends', () => {
  expect(run({ occupations: [one, two, moved, occupation('next', 50, slot(30, 45))] })).toEqual([]);
});

test('excuses a refusal within 30 s after a booking without a response was given up', () => {
  const abandoned = refusal(50, { ...slot(30, 60), isRepeated: true });
  const later = (seconds: number) => refusal(seconds, slot(30, 60));
  const held = [one, occupation('long', 20, slot(0, 60))];
  const given = {
    ...good.bookings,
    occupations: [...held, { ...moved, releasing: 51_000, released: 51_100 }],
  };
  expect(run({ ...given, refusals: [abandoned, later(75)] })).toEqual([]);
  const [violation] = run({ ...given, refusals: [abandoned, later(95)] });
  expect(violation).toMatch(/was refused at 95000 although the time was free/);
  const downs = [outage('mongodb', 'stopped', 60, 80)];
  expect(run({ ...given, refusals: [abandoned, later(95)] }, { downs })).toEqual([]);
});

test('excuses a refusal while another booking stands still', () => {
  const still = refusal(50, { ...slot(30, 60), refused: 90_000 });
  const refusals = [still, refusal(80, slot(30, 60))];
  const long = occupation('long', 20, slot(0, 60));
  const late = occupation('late', 85, slot(30, 60));
  expect(run({ occupations: [one, long, late], refusals })).toEqual([]);
  const [violation] = run({ occupations: [one, long, late], refusals: refusals.slice(1) });
  expect(violation).toMatch(/was refused at 80000 although the time was free/);
});

test('excuses a refusal while a cancellation has no response yet', () => {
  const leaving = { ...two, releasing: 30_000, released: 45_000 };
  expect(run({ occupations: [one, leaving], refusals: [refusal(44)] })).toEqual([]);
});

test.each<[string, Partial<BookingEvidence>, object, RegExp]>([
  [
    'three appointments for two chairs at the end',
    {},
    { events: [...good.events, ...[one, two, occupation('three', 30)].map((each) => eventOf(each))] },
    /double booking at the end: 3 appointments for 2 chairs at 2035-06-04T09:00/,
  ],
  [
    'a provider with two appointments at the end',
    { occupations: [one, occupation('more', 30, slot(15, 20, 'ines'))] },
    {},
    /double booking at the end: 2 appointments of one provider at 2035-06-04T09:15/,
  ],
  [
    'three appointments that existed together for a while',
    {
      occupations: [
        one,
        two,
        { ...occupation('short', 30, slot(10, 20)), releasing: 31_000, released: 31_500 },
      ],
    },
    {},
    /double booking after 30100: 3 appointments for 2 chairs at 2035-06-04T09:10/,
  ],
  [
    'a refusal of a free time',
    { refusals: [refusal(50, slot(30, 60))] },
    {},
    /was refused at 50000 although the time was free/,
  ],
  [
    'a refusal because of the appointment that was to be moved',
    { occupations: [one, two], refusals: [refusal(25, { appointmentId: 'two' })] },
    {},
    /was refused at 25000 although the time was free/,
  ],
  [
    'a refusal for another reason',
    { refusals: [refusal(25, { reason: 'closed' })] },
    {},
    /was refused: closed/,
  ],
  ['a booking that was never decided', {}, { drafts: 1 }, /1 bookings are undecided/],
])('finds %s', (_name, bookings, more, violation) => {
  expect(run(bookings, more)).toContainEqual(expect.stringMatching(violation));
});

test('the last event of an appointment says whether it occupies its time', () => {
  const later = { lastEditTime: '2035-01-01T00:00:01.000Z', reminders: [] };
  const events = [
    ...good.events,
    ...[one, two].map((each) => eventOf(each)),
    eventOf(two, { ...later, status: 'CANCELED' }),
    eventOf(occupation('three', 30)),
  ];
  expect(run({ occupations: [one] }, { events })).toEqual([]);
});
