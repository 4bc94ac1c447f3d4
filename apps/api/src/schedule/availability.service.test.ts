import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from '../../test/api.ts';
import { createSettings } from '../../test/read-only-records.ts';

let api: TestApi;
let ids: Awaited<ReturnType<typeof createSettings>>;
let theirs: Awaited<ReturnType<typeof createSettings>>;
beforeAll(async () => {
  api = await openTestApi();
  ids = await createSettings(api.database, api.practice);
  theirs = await createSettings(api.database, api.stranger);
});
afterAll(() => api.close());

/** Monday. The clinic has one chair, and is open from 08:00 to 16:00 UTC. */
const MONDAY = '2030-12-02';
/** The Monday of a week in which the provider has a holiday from Tuesday on. */
const HOLIDAY = '2030-12-23';

const search = (fields: Record<string, string>, as?: string) => {
  const query = new URLSearchParams({ clinicId: ids.clinicId, from: MONDAY, to: MONDAY, ...fields });
  return api.call('GET', `/api/availability?${query}`, as === undefined ? {} : { as });
};
const startsOf = async (fields: Record<string, string>): Promise<string[]> => {
  const { status, json } = await search(fields);
  expect(status).toBe(200);
  return json.slots.map(({ start }: { start: string }) => start.slice(11, 16));
};

test('finds slots for a procedure in opening hours, without times that appointments fill', async () => {
  const body = {
    clinicId: ids.clinicId,
    startTime: `${MONDAY}T08:00:00Z`,
    endTime: `${MONDAY}T15:00:00Z`,
  };
  expect((await api.call('POST', '/api/appointments', { body })).status).toBe(200);
  const { json } = await search({ procedureId: ids.procedureId }, token(api.practice.staff.token));
  expect(json).toEqual({
    timeZone: 'UTC',
    durationMinutes: 30,
    slots: ['15:00', '15:15', '15:30'].map((start, index) => ({
      start: `${MONDAY}T${start}:00+00:00`,
      end: `${MONDAY}T${['15:30', '15:45', '16:00'][index]}:00+00:00`,
    })),
    isCut: false,
    openingHours: [
      {
        date: MONDAY,
        intervals: [{ start: `${MONDAY}T08:00:00+00:00`, end: `${MONDAY}T16:00:00+00:00` }],
      },
    ],
  });
  const { json: none } = await search({ durationMinutes: '90' });
  expect(none).toMatchObject({ slots: [], reason: 'fully_booked' });
});

test('excludes the calendar blocks of a provider, and only of this one', async () => {
  const days = { from: HOLIDAY, to: '2030-12-31', durationMinutes: '480' };
  expect(await startsOf(days)).toEqual(['08:00', '08:00']);
  await api.practice.store.openingHours.set(ids.clinicId, {
    ...(await api.call('GET', `/api/clinics/${ids.clinicId}/openinghours`)).json,
    exceptions: [{ date: '2030-12-24', intervals: [{ opens: '08:00', closes: '16:00' }] }],
  });
  expect(await startsOf({ ...days, to: '2030-12-24' })).toEqual(['08:00', '08:00']);
  expect(await startsOf({ ...days, to: '2030-12-24', providerId: ids.providerId })).toEqual(['08:00']);
});

test('excludes the appointments of a provider at any clinic, and says if they are the reason', async () => {
  const friday = { from: '2030-12-06', to: '2030-12-06', durationMinutes: '30' };
  const { json: hours } = await api.call('GET', `/api/clinics/${ids.clinicId}/openinghours`);
  const weekdays = { ...hours.weekdays, friday: [{ opens: '08:00', closes: '09:00' }] };
  await api.practice.store.openingHours.set(ids.clinicId, { ...hours, weekdays });
  const elsewhere = { clinicId: api.practice.clinicIds[1], providerId: ids.providerId };
  const book = async (startTime: string, endTime: string) => {
    const { status } = await api.call('POST', '/api/appointments', {
      body: { ...elsewhere, startTime: `2030-12-06T${startTime}:00Z`, endTime: `2030-12-06T${endTime}:00Z` },
    });
    expect(status).toBe(200);
  };
  await book('08:15', '08:30');
  expect(await startsOf(friday)).toEqual(['08:00', '08:15', '08:30']);
  expect(await startsOf({ ...friday, providerId: ids.providerId })).toEqual(['08:30']);
  await book('08:30', '09:00');
  const { json } = await search({ ...friday, providerId: ids.providerId });
  expect(json).toMatchObject({ slots: [], reason: 'provider_busy' });
});

test('returns at most 360 slots, and says that there are more', async () => {
  const everyday = [{ opens: '00:00', closes: '24:00' }];
  const { json: hours } = await api.call('GET', `/api/clinics/${ids.clinicId}/openinghours`);
  const [, other] = api.practice.clinicIds;
  await api.practice.store.openingHours.set(other, {
    ...{ ...hours, slotMinutes: 5, exceptions: [] },
    weekdays: { ...hours.weekdays, monday: everyday, tuesday: everyday },
  });
  const { json } = await search({ clinicId: other, to: '2030-12-03', durationMinutes: '5' });
  expect([json.slots.length, json.isCut]).toEqual([360, true]);
});

test.each([
  ['neither a procedure nor a duration', {}, 'durationMinutes must be sent if procedureId is not'],
  ['no duration', { durationMinutes: '0' }, 'must be from 1 to 1440 minutes'],
  ['a duration that is no number', { durationMinutes: '1e1' }, 'must be a whole number from 1 to 1440'],
  ['a day that does not exist', { from: '2030-02-30', durationMinutes: '30' }, 'must be a date that exists'],
  ['an end before the start', { to: '2030-12-01', durationMinutes: '30' }, 'to must not be before from'],
  ['the last day of the calendar', { to: '9999-12-31', durationMinutes: '30' }, 'not be after 9999-12-30'],
  ['32 days', { to: '2031-01-02', durationMinutes: '30' }, 'from and to must span at most 31 days'],
] as const)('refuses %s', async (_name, fields, message) => {
  const { status, json } = await search(fields);
  expect([status, json.message]).toEqual([400, expect.stringContaining(message)]);
});

test('refuses both a procedure and a duration', async () => {
  const { status } = await search({ durationMinutes: '30', procedureId: ids.procedureId });
  expect(status).toBe(400);
});

test.each(['clinicId', 'procedureId', 'providerId'] as const)(
  'refuses a %s of another organization like one that does not exist',
  async (name) => {
    const duration = name === 'procedureId' ? {} : { durationMinutes: '30' };
    const refusals = [];
    for (const value of [theirs[name], 'none']) {
      const { status, json } = await search({ ...duration, [name]: value });
      refusals.push([status, json.details.issues]);
    }
    expect(refusals[0]).toMatchObject([
      400,
      [{ path: name, message: expect.stringMatching(/^must be the id of a/) }],
    ]);
    expect(refusals[1]).toEqual(refusals[0]);
  },
);

test('a clinic whose time zone is an abbreviation has no slots', async () => {
  const { clinicId } = ids;
  const clinics = api.database.collection<{ _id: string }>('clinics');
  await clinics.updateOne({ _id: clinicId }, { $set: { timezone: 'PST' } });
  const { status, json } = await search({ durationMinutes: '30' });
  await clinics.updateOne({ _id: clinicId }, { $set: { timezone: 'UTC' } });
  expect([status, json.reason]).toEqual([200, 'no_time_zone']);
});

describe('POST /api/clinics/{clinicId}/openinghours/preview', () => {
  /** Europe/Zurich has 23 hours on this Sunday. */
  const CHANGE = '2031-03-30';
  const HOURS = {
    weekdays: { sunday: [{ opens: '01:00', closes: '04:00' }] },
    exceptions: [{ date: '2031-04-06', intervals: [] }],
    chairs: 1,
    slotMinutes: 30,
  };
  const preview = (body: object, as?: string) =>
    api.call('POST', `/api/clinics/${ids.clinicId}/openinghours/preview`, {
      body: { from: CHANGE, to: '2031-04-13', durationMinutes: 30, hours: HOURS, ...body },
      as: as ?? token(api.practice.administrator.token),
    });

  test('returns what a search returns once the hours are set, and stores nothing', async () => {
    const { clinicId } = ids;
    await api.database
      .collection<{ _id: string }>('clinics')
      .updateOne({ _id: clinicId }, { $set: { timezone: 'Europe/Zurich' } });
    const times = { startTime: '2031-04-12T23:30:00Z', endTime: '2031-04-13T00:00:00Z' };
    expect((await api.call('POST', '/api/appointments', { body: { clinicId, ...times } })).status).toBe(200);
    const path = `/api/clinics/${clinicId}/openinghours`;
    const before = await api.call('GET', path);
    const { json } = await preview({});
    expect((await api.call('GET', path)).headers.get('etag')).toBe(before.headers.get('etag'));
    // Two hours on the Sunday of the change, none on the closed one, and one slot less for the appointment.
    expect(json.slots).toHaveLength(4 + 0 + 5);
    const as = token(api.practice.administrator.token);
    expect((await api.call('PUT', path, { as, body: HOURS })).status).toBe(200);
    const found = await search({ from: CHANGE, to: '2031-04-13', durationMinutes: '30' });
    expect(found.json).toEqual(json);
  });

  test('the last day that can be searched may end at midnight', async () => {
    const hours = { weekdays: { thursday: [{ opens: '00:00', closes: '24:00' }] } };
    const { status, json } = await preview({ from: '9999-12-30', to: '9999-12-30', hours });
    expect([status, json.slots.length]).toEqual([200, 95]);
    expect(json.openingHours[0].intervals[0].end).toMatch(/^9999-12-31T00:00:00/);
  });

  test.each([
    [{ to: '2031-05-30' }, 'to'],
    [{ from: '9999-12-31', to: '9999-12-31' }, 'to'],
    [{ durationMinutes: 0 }, 'durationMinutes'],
    [{ hours: { weekdays: { monday: [{ opens: '9', closes: '10:00' }] } } }, 'hours.weekdays.monday.0.opens'],
  ])('names the field of %j', async (body, path) => {
    const { status, json } = await preview(body);
    expect([status, json.details.issues[0].path]).toEqual([400, path]);
  });

  test('is for administrators', async () => {
    expect((await preview({}, token(api.practice.staff.token))).status).toBe(403);
  });
});
