import type { Appointment } from '@chairside/client';
import { expect, test } from 'vitest';
import {
  type Column,
  columnsOf,
  type DayParts,
  nextFree,
  requestsOf,
  type Taken,
  type Timed,
} from './columns.ts';
import { stopAfter, stopsOf } from './stops.ts';

/** A time of the day in milliseconds. */
const at = (text: string): number => {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return (hours * 60 + minutes) * 60_000;
};
const clock = (time: number): string => new Date(time).toISOString().slice(11, 16);
const span = (text: string) => {
  const [start = '', end = ''] = text.split('-');
  return { start: at(start), end: at(end) };
};
const visit = (
  name: string,
  times: string,
  providerId?: string,
  status: Appointment['status'] = 'SCHEDULED',
): Timed => ({
  ...span(times),
  appointment: {
    _id: name,
    patientId: name,
    clinicId: 'clinic',
    ...(providerId !== undefined && { providerId }),
    status,
    procedures: [],
    reminders: [],
    createdTime: '',
    lastEditTime: '',
  },
});
const taken = (times: string, providerId?: string, kind?: Taken['kind']): Taken => ({
  ...span(times),
  providerId,
  kind,
  clinicId: 'clinic',
});
const ADA = { _id: 'ada', name: 'Ada' };
const BEA = { _id: 'bea', name: 'Bea' };
const day = (fields: Partial<DayParts> = {}): DayParts => ({
  axis: span('08:00-17:00'),
  openings: [span('08:00-12:00'), span('13:00-16:00')],
  chairs: 10,
  appointments: [],
  taken: [],
  providers: [ADA],
  ...fields,
});
const words = ({ items }: Column): string[] =>
  items.map((item) => {
    const times = `${clock(item.start)}-${clock(item.end)} ${item.is}`;
    if (item.is === 'card') return `${times} ${item.appointment._id}`;
    if (item.is === 'free')
      return [times, ...item.canceled.map(({ appointment }) => appointment._id)].join(' ');
    if (item.is === 'closed' && item.edge) return `${times}, ${item.edge.word} ${clock(item.edge.at)}`;
    return times;
  });
const columns = (fields: Partial<DayParts>) => columnsOf(day(fields));
const only = (fields: Partial<DayParts>) => {
  const [column] = columns(fields);
  return column === undefined ? [] : words(column);
};

test('a column has what is booked, blocked, free and closed', () => {
  expect(
    only({
      appointments: [visit('a', '08:00-09:00', 'ada'), visit('b', '09:30-10:00', 'ada', 'NO_SHOW')],
      taken: [taken('10:00-10:15', 'ada', 'BREAK'), taken('11:00-14:00', undefined, 'MEETING')],
    }),
  ).toEqual([
    '08:00-09:00 card a',
    '09:00-09:30 free',
    '09:30-10:00 card b',
    '10:00-10:15 taken',
    '10:15-11:00 free',
    '11:00-12:00 taken',
    '12:00-13:00 closed',
    '13:00-14:00 taken',
    '14:00-16:00 free',
    '16:00-17:00 closed, ends 16:00',
  ]);
});

test('an appointment outside the opening hours is shown, and a gap of less than 5 minutes is not', () => {
  expect(
    only({
      axis: span('07:00-12:00'),
      openings: [span('08:00-12:00')],
      appointments: [visit('early', '07:30-08:04', 'ada'), visit('a', '08:08-12:00', 'ada')],
    }),
  ).toEqual(['07:00-07:30 closed, starts 08:00', '07:30-08:04 card early', '08:08-12:00 card a']);
});

test('a canceled appointment leaves a gap that names it, unless its time is booked again', () => {
  const canceled = visit('gone', '08:00-09:00', 'ada', 'CANCELED');
  const openings = [span('08:00-09:00')];
  const axis = span('08:00-09:00');
  expect(only({ axis, openings, appointments: [canceled] })).toEqual(['08:00-09:00 free gone']);
  expect(only({ axis, openings, appointments: [canceled, visit('new', '08:00-09:00', 'ada')] })).toEqual([
    '08:00-09:00 card new',
  ]);
  // A shorter gap has no room for the name.
  expect(only({ axis, openings, appointments: [canceled, visit('new', '08:10-09:00', 'ada')] })).toEqual([
    '08:00-08:10 free',
    '08:10-09:00 card new',
  ]);
});

test('while all chairs are taken, nobody is free', () => {
  const axis = span('08:00-10:00');
  const openings = [axis];
  const appointments = [visit('b', '08:30-09:00', 'bea'), visit('c', '08:45-09:30')];
  const providers = [ADA, BEA];
  const [ada] = columns({ axis, openings, chairs: 2, appointments, providers });
  expect(ada && words(ada)).toEqual(['08:00-08:45 free', '08:45-09:00 full', '09:00-10:00 free']);
});

test('blocks lie behind appointments, and each time has one of them', () => {
  expect(
    only({
      axis: span('08:00-10:00'),
      openings: [span('08:00-10:00')],
      appointments: [visit('a', '08:30-09:00', 'ada')],
      taken: [taken('08:00-09:30', undefined, 'MEETING'), taken('09:00-10:00', 'ada', 'BREAK')],
    }),
  ).toEqual(['08:00-08:30 taken', '08:30-09:00 card a', '09:00-09:30 taken', '09:30-10:00 taken']);
});

test('there is a column for each provider, for those who have left, and at last for none', () => {
  const owners = (fields: Partial<DayParts>) =>
    columns(fields).map(({ owner }) => (owner.is === 'provider' ? owner._id : owner.is));
  const appointments = [visit('a', '08:00-09:00'), visit('b', '08:00-09:00', 'left')];
  expect(owners({ providers: [ADA, BEA] })).toEqual(['ada', 'bea']);
  expect(owners({ providers: [ADA], appointments })).toEqual(['ada', 'left', 'none']);
  expect(owners({ providers: [], appointments: [] })).toEqual(['all']);
  // Only providers of the clinic have gaps.
  const [, left, none] = columns({ openings: [span('08:00-17:00')], appointments });
  expect([left, none].map((column) => column && words(column))).toEqual([
    ['08:00-09:00 card b'],
    ['08:00-09:00 card a'],
  ]);
  // The appointments of a canceled day make no column.
  expect(owners({ appointments: [visit('c', '08:00-09:00', undefined, 'CANCELED')] })).toEqual(['ada']);
});

test('without opening hours nothing is free or closed', () => {
  expect(only({ openings: undefined, appointments: [visit('a', '08:00-09:00', 'ada')] })).toEqual([
    '08:00-09:00 card a',
  ]);
});

test('patients are counted once, and without the canceled ones', () => {
  const again = visit('a', '10:00-11:00', 'ada');
  const [column] = columns({
    appointments: [
      visit('a', '08:00-09:00', 'ada'),
      { ...again, appointment: { ...again.appointment, _id: 'a2' } },
      visit('b', '09:00-09:30', 'ada', 'CANCELED'),
    ],
  });
  expect(column?.patients).toBe(1);
});

test('the next free times begin now, and are long enough', () => {
  const all = columns({ providers: [ADA, BEA], appointments: [visit('a', '08:00-11:50', 'ada')] });
  const texts = (now: string, minMinutes = 15) =>
    nextFree(all, { now: at(now), minMinutes, count: 3 }).map(
      ({ owner, start, end }) => `${owner.is === 'provider' && owner._id} ${clock(start)}-${clock(end)}`,
    );
  expect(texts('07:00')).toEqual(['bea 08:00-12:00', 'ada 13:00-16:00', 'bea 13:00-16:00']);
  expect(texts('09:02')).toEqual(['bea 09:05-12:00', 'ada 13:00-16:00', 'bea 13:00-16:00']);
  expect(texts('09:02', 10)).toEqual(['bea 09:05-12:00', 'ada 11:50-12:00', 'ada 13:00-16:00']);
  expect(texts('15:50')).toEqual([]);
});

test('a request says what is wrong with it', () => {
  const problems = (fields: Partial<DayParts>) =>
    requestsOf(day(fields)).map(({ request, problems }) => [
      request.appointment._id,
      ...problems.map((each) => (each.is === 'overlap' ? each.other.appointment._id : each.is)),
    ]);
  const request = (name: string, times: string, providerId?: string) =>
    visit(name, times, providerId, 'REQUESTED');
  const appointments = [
    request('late', '15:00-15:30', 'ada'),
    request('nobody', '09:00-09:30'),
    request('busy', '10:00-10:30', 'ada'),
    visit('booked', '10:15-10:45', 'ada'),
    visit('absent', '15:00-15:30', 'ada', 'NO_SHOW'),
    visit('other', '15:00-15:30', 'bea'),
    request('blocked', '13:00-13:30', 'ada'),
  ];
  expect(problems({ appointments, taken: [taken('13:15-13:45', undefined, 'MEETING')] })).toEqual([
    ['nobody', 'no provider'],
    ['busy', 'booked'],
    ['blocked', 'taken'],
    ['late'],
  ]);
  expect(problems({ appointments: [request('a', '09:00-09:30')], providers: [] })).toEqual([['a']]);
});

test('the arrow keys lead through a column, and to the nearest time beside it', () => {
  const stops = stopsOf(
    columns({
      providers: [ADA, BEA, { _id: 'cleo', name: 'Cleo' }],
      appointments: [
        visit('a1', '08:00-09:00', 'ada'),
        visit('a2', '09:00-10:00', 'ada'),
        visit('gone', '10:00-11:00', 'ada', 'CANCELED'),
        visit('c1', '08:00-08:30', 'cleo'),
        visit('c2', '09:50-10:30', 'cleo'),
        visit('c3', '09:55-10:30', 'cleo'),
        visit('c4', '10:00-10:30', 'cleo'),
      ],
    }),
  );
  const ids = stops.map(({ id }) => id.replace(/^\d+ /, ''));
  expect(ids).toEqual(['a1', 'a2', 'gone', 'c1', 'c2', 'c3', 'more c3']);
  const after = (id: string, key: string) => ids[stopAfter(stops, ids.indexOf(id), key)];
  expect([after('a1', 'ArrowDown'), after('a1', 'ArrowUp'), after('gone', 'ArrowDown')]).toEqual([
    'a2',
    'a1',
    'gone',
  ]);
  // The column between has nothing to stop at.
  expect([after('a2', 'ArrowRight'), after('c1', 'ArrowLeft'), after('c3', 'ArrowLeft')]).toEqual([
    'c2',
    'a1',
    'gone',
  ]);
  expect([after('a1', 'ArrowLeft'), after('c3', 'ArrowDown'), after('more c3', 'ArrowRight')]).toEqual([
    'a1',
    'more c3',
    'more c3',
  ]);
});
