import { newId } from '@chairside/domain';
import { openedDocuments } from '@chairside/test-support';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi } from '../../test/api.ts';

let api: TestApi;
/** A clinic of its own for each test: in UTC, with two chairs, open on Mondays from 08:00 to 12:00. */
let clinicId: string;
let otherClinicId: string;
let providerId: string;

const MONDAY = '2030-12-02';
const at = (time: string): string => `${MONDAY}T${time}:00.000Z`;
const local = (time: string): string => `${MONDAY}T${time}:00+00:00`;
const slot = (start: string, end: string) => ({ start: local(start), end: local(end) });

const addClinic = async (hours: object = {}, timezone = 'UTC'): Promise<string> => {
  const _id = newId();
  const { clinics, openingHours } = api.practice.store;
  const named = { name: 'East', currency: 'EUR', timezone, lastEditTime: new Date().toISOString() };
  await clinics.create({ _id, ...named });
  const none = { tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] };
  await openingHours.set(_id, {
    weekdays: { monday: [{ opens: '08:00', closes: '12:00' }], ...none },
    ...{ exceptions: [], chairs: 2, slotMinutes: 30, ...hours },
  });
  return _id;
};

beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  [clinicId, otherClinicId] = [await addClinic(), await addClinic()];
  providerId = newId();
  await api.practice.store.providers.create({
    _id: providerId,
    name: 'Dr. Ines Albers',
    clinicIds: [clinicId, otherClinicId],
  });
});

type Fields = Record<string, unknown>;
const times = (start: string, end: string) => ({ startTime: at(start), endTime: at(end) });
const book = (fields: Fields, headers = {}) =>
  api.call('POST', '/api/appointments?onlyIfFree=true', { body: { clinicId, ...fields }, headers });
const create = async (fields: Fields) => {
  const response = await api.call('POST', '/api/appointments', { body: { clinicId, ...fields } });
  expect(response.status).toBe(200);
  return response.json;
};
const rebook = (id: string, body: Fields, headers = {}) =>
  api.call('PUT', `/api/appointments/${id}?onlyIfFree=true`, { body, headers });
const documents = () => api.database.collection('appointments').find({ clinicId }).toArray();

describe('POST /api/appointments?onlyIfFree=true', () => {
  test('creates the appointment as without it, with its event, and leaves no trace of the booking', async () => {
    const { status, json, headers } = await book({ ...times('08:00', '08:30'), providerId });
    expect([status, headers.get('etag')]).toEqual([200, '"1"']);
    expect(json).toMatchObject({ clinicId, providerId, ...times('08:00', '08:30'), status: 'SCHEDULED' });
    expect((await api.call('GET', `/api/appointments/${json._id}`)).json).toEqual(json);
    const [document, ...others] = await documents();
    expect(others).toEqual([]);
    expect(Object.keys(document ?? {}).toSorted()).toEqual(
      Object.keys((await createdPlain()) ?? {}).toSorted(),
    );
    const [opened] = await openedDocuments(api, 'appointments', { _id: json._id });
    expect(JSON.parse(opened?.outbox[0].body)).toMatchObject({ event: 'appointment.created', data: json });
  });

  const createdPlain = async () => {
    const { _id } = await create({ ...times('10:00', '10:30'), providerId });
    return api.database.collection<{ _id: string }>('appointments').findOne({ _id });
  };

  test('refuses a time whose chairs are taken, and names the next three free slots', async () => {
    await book(times('09:00', '10:00'));
    await create(times('09:30', '10:30'));
    const { status, json } = await book(times('09:30', '10:00'));
    expect(status).toBe(409);
    expect(json).toMatchObject({
      name: 'Conflict',
      message:
        'This time is not free: appointments fill all chairs. Choose another time, such as one of details.nextSlots.',
      details: {
        reason: 'fully_booked',
        nextSlots: [slot('10:00', '10:30'), slot('10:30', '11:00'), slot('11:00', '11:30')],
      },
    });
    expect((await documents()).length).toBe(2);
  });

  test('refuses a time at which the provider has an appointment at another clinic', async () => {
    await create({ ...times('09:00', '10:00'), providerId, clinicId: otherClinicId });
    const { status, json } = await book({ ...times('09:30', '10:00'), providerId });
    expect([status, json.details.reason]).toEqual([409, 'provider_busy']);
    expect(json.details.nextSlots[0]).toEqual(slot('10:00', '10:30'));
    expect((await book(times('09:30', '10:00'))).status).toBe(200);
  });

  test('refuses a time in a calendar block', async () => {
    await api.practice.store.calendarBlocks.create({
      _id: newId(),
      clinicId,
      startTime: at('08:00'),
      endTime: at('11:00'),
      kind: 'MEETING',
    });
    const { status, json } = await book(times('08:00', '09:00'));
    expect([status, json.details.reason]).toEqual([409, 'blocked']);
    expect(json.details.nextSlots[0]).toEqual(slot('11:00', '12:00'));
    // The next Monday is within 31 days.
    expect(json.details.nextSlots[1].start).toBe('2030-12-09T08:00:00+00:00');
  });

  test.each([
    ['closed', { startTime: '2030-12-03T08:00:00Z', endTime: '2030-12-03T08:30:00Z' }],
    ['too_long', times('11:30', '12:30')],
    ['past', { startTime: '2001-01-01T08:00:00Z', endTime: '2001-01-01T09:00:00Z' }],
  ])('refuses a time with the reason %s', async (reason, time) => {
    const { status, json } = await book(time);
    expect([status, json.details.reason]).toEqual([409, reason]);
    expect(json.details.nextSlots).toHaveLength(3);
    expect(await documents()).toEqual([]);
  });

  test('refuses a time if the clinic has no opening hours or no time zone, without slots', async () => {
    const [without] = api.practice.clinicIds;
    const { json } = await book({ ...times('08:00', '08:30'), clinicId: without });
    expect(json.details).toMatchObject({ reason: 'no_opening_hours', nextSlots: [] });
    const nowhere = await addClinic({}, 'Mars/Olympus');
    const other = await book({ ...times('08:00', '08:30'), clinicId: nowhere });
    expect(other.json.details).toMatchObject({ reason: 'no_time_zone', nextSlots: [] });
    expect(other.json.message).toContain('Choose another time.');
  });

  test('accepts a time off the grid, up to the last and from the first moment of another appointment', async () => {
    const full = await addClinic({ chairs: 1 });
    await create({ ...times('09:00', '09:30'), clinicId: full });
    for (const time of [times('08:37', '09:00'), times('09:30', '09:31')])
      expect((await book({ ...time, clinicId: full })).status).toBe(200);
  });

  test.each(['startTime', 'endTime'])('needs %s', async (name) => {
    const { status, json } = await book({ ...times('08:00', '08:30'), [name]: null });
    expect(status).toBe(400);
    expect(json.details.issues).toMatchObject([{ path: name, message: 'is required with onlyIfFree' }]);
  });

  test('refuses a provider who does not work at the clinic', async () => {
    await api.practice.store.providers.edit(providerId, (current) => ({
      ...current,
      clinicIds: [otherClinicId],
    }));
    const { status, json } = await book({ ...times('08:00', '08:30'), providerId });
    expect(status).toBe(400);
    expect(json.details.issues).toMatchObject([
      { path: 'providerId', message: 'must be the id of a provider who works at this clinic' },
    ]);
    expect(await documents()).toEqual([]);
  });

  test('does not check an appointment that takes no time', async () => {
    expect((await book({ ...times('13:00', '14:00'), status: 'CANCELED' })).status).toBe(200);
  });

  test('is refused with any other value', async () => {
    const { status, json } = await api.call('POST', '/api/appointments?onlyIfFree=false', {
      body: { clinicId },
    });
    expect([status, json.details.issues[0]]).toMatchObject([
      400,
      { path: 'onlyIfFree', message: 'must be true' },
    ]);
  });

  test('returns the booking to a request that repeats its key, and does not refuse it because of itself', async () => {
    const one = await addClinic({ chairs: 1 });
    const key = { 'idempotency-key': newId() };
    const first = await book({ ...times('08:00', '08:30'), clinicId: one }, key);
    const second = await book({ ...times('08:00', '08:30'), clinicId: one }, key);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.json).toEqual(first.json);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    const unguarded = await api.call('POST', '/api/appointments', {
      body: { ...times('08:00', '08:30'), clinicId: one },
      headers: key,
    });
    expect(unguarded.status).toBe(409);
  });

  test('releases the key of a refused booking', async () => {
    const one = await addClinic({ chairs: 1 });
    const { _id } = await create({ ...times('08:00', '08:30'), clinicId: one });
    const key = { 'idempotency-key': newId() };
    const time = { ...times('08:00', '08:30'), clinicId: one };
    expect((await book(time, key)).status).toBe(409);
    await api.call('PUT', `/api/appointments/${_id}`, { body: { status: 'CANCELED' } });
    expect((await book(time, key)).status).toBe(200);
  });

  test('counts an unguarded appointment as soon as it is stored, and never refuses one', async () => {
    for (let chair = 0; chair < 3; chair++) await create(times('08:00', '08:30'));
    expect((await book(times('08:00', '08:30'))).status).toBe(409);
  });
});

describe('an appointment that no longer takes its time', () => {
  test.each([
    ['is canceled', { status: 'CANCELED' }],
    ['is missed', { status: 'NO_SHOW' }],
    ['moves', times('11:00', '11:30')],
    ['becomes shorter', times('08:00', '08:15')],
    ['moves to another clinic', { clinicId: 'other' }],
    ['gets another provider', { providerId: null }],
  ])('frees it when it %s', async (_how, changes: Fields) => {
    const one = await addClinic({ chairs: 1 });
    const isAboutProvider = 'providerId' in changes;
    const place = isAboutProvider ? { clinicId: otherClinicId, providerId } : { clinicId: one };
    const { json } = await book({ ...times('08:00', '08:30'), ...place });
    const wanted = { ...times('08:15', '08:30'), ...(isAboutProvider ? { providerId } : { clinicId: one }) };
    expect((await book(wanted)).status).toBe(409);
    const body = changes.clinicId === undefined ? changes : { clinicId: otherClinicId };
    expect((await api.call('PUT', `/api/appointments/${json._id}`, { body })).status).toBe(200);
    expect((await book(wanted)).status).toBe(200);
  });

  test('frees it when it is deleted', async () => {
    const one = await addClinic({ chairs: 1 });
    const { json } = await book({ ...times('08:00', '08:30'), clinicId: one });
    await api.call('DELETE', `/api/appointments/${json._id}`);
    expect((await book({ ...times('08:00', '08:30'), clinicId: one })).status).toBe(200);
  });
});

describe('changed settings', () => {
  const settings = (hours: object) =>
    api.practice.store.openingHours
      .find(clinicId)
      .then((found) =>
        api.practice.store.openingHours.set(clinicId, { ...found?.record, ...hours } as never),
      );

  test('the next booking follows new hours', async () => {
    expect((await book(times('12:00', '12:30'))).json.details.reason).toBe('closed');
    await settings({ exceptions: [{ date: MONDAY, intervals: [{ opens: '12:00', closes: '13:00' }] }] });
    expect((await book(times('12:00', '12:30'))).status).toBe(200);
    expect((await book(times('08:00', '08:30'))).json.details.reason).toBe('closed');
  });

  test('the next booking follows a new time zone', async () => {
    await api.database
      .collection<{ _id: string }>('clinics')
      .updateOne({ _id: clinicId }, { $set: { timezone: 'America/New_York' } });
    expect((await book(times('08:00', '08:30'))).json.details.reason).toBe('closed');
    expect((await book(times('13:00', '13:30'))).status).toBe(200);
  });

  test('the next booking follows the number of chairs', async () => {
    for (const expected of [200, 200, 409])
      expect((await book(times('08:00', '08:30'))).status).toBe(expected);
    await settings({ chairs: 3 });
    for (const expected of [200, 409]) expect((await book(times('08:00', '08:30'))).status).toBe(expected);
  });
});

describe('PUT /api/appointments/{appointmentId}?onlyIfFree=true', () => {
  test('moves an appointment to a free time, and does not count its own time', async () => {
    const one = await addClinic({ chairs: 1 });
    const { json } = await book({ ...times('08:00', '09:00'), clinicId: one });
    const moved = await rebook(json._id, times('08:30', '09:30'));
    expect([moved.status, moved.headers.get('etag')]).toEqual([200, '"2"']);
    expect(moved.json).toMatchObject(times('08:30', '09:30'));
    const [document] = await api.database.collection('appointments').find({ clinicId: one }).toArray();
    expect(document).not.toHaveProperty('drafts');
    expect(document).not.toHaveProperty('draftAt');
    expect((await rebook(json._id, times('08:30', '09:30'))).status).toBe(200);
  });

  test.each<[what: string, before: Fields, held: object]>([
    ['gets a provider', times('09:00', '10:00'), { providerId: 'new' }],
    ['gets an end', { startTime: at('09:00') }, {}],
    ['begins later', times('09:00', '09:45'), { startTime: new Date(at('09:30')) }],
  ])('an appointment that %s while others book needs one chair', async (_what, before, held) => {
    const { _id } = await create(before);
    const { organizationId } = api.practice;
    // The change has won its time, and is not written yet.
    const bookingId = newId();
    const time = { startTime: new Date(at('09:00')), endTime: new Date(at('10:00')) };
    const hold = { bookingId, recordId: _id, revision: 1, clinicId, ...time, ...held };
    await api.database
      .collection('appointments')
      .updateOne({ _id }, { $set: { drafts: [bookingId], draftAt: new Date() } });
    await api.database
      .collection<{ _id: string }>('bookings')
      .updateOne(
        { _id: organizationId },
        { $set: { organizationId, holds: [hold] }, $inc: { revision: 1 } },
        { upsert: true },
      );
    expect((await book(times('09:00', '10:00'))).status).toBe(200);
    expect((await book(times('09:30', '10:00'))).json.details.reason).toBe('fully_booked');
    await api.database.collection('appointments').updateOne({ _id }, { $unset: { drafts: '', draftAt: '' } });
  });

  test('refuses a time that is not free, and changes nothing', async () => {
    const one = await addClinic({ chairs: 1 });
    const { json } = await book({ ...times('08:00', '08:30'), clinicId: one });
    await create({ ...times('09:00', '09:30'), clinicId: one });
    const before = await api.database.collection('appointments').find({ clinicId: one }).toArray();
    const { status, json: refused } = await rebook(json._id, times('09:00', '09:30'));
    expect([status, refused.details]).toMatchObject([
      409,
      {
        reason: 'fully_booked',
        nextSlots: [slot('09:30', '10:00'), slot('10:00', '10:30'), slot('10:30', '11:00')],
      },
    ]);
    expect(await api.database.collection('appointments').find({ clinicId: one }).toArray()).toEqual(before);
  });

  test('checks an appointment that takes its time again', async () => {
    const one = await addClinic({ chairs: 1 });
    const { _id } = await create({ ...times('08:00', '08:30'), clinicId: one, status: 'CANCELED' });
    await book({ ...times('08:00', '08:30'), clinicId: one });
    expect((await rebook(_id, { status: 'SCHEDULED' })).status).toBe(409);
    expect((await rebook(_id, { status: 'NO_SHOW' })).status).toBe(200);
  });

  test('honours If-Match, and needs both times', async () => {
    const { _id } = await create({ startTime: at('08:00') });
    const { status, json } = await rebook(_id, { status: 'SCHEDULED' });
    expect([status, json.details.issues]).toMatchObject([
      400,
      [{ path: 'endTime', message: 'is required with onlyIfFree' }],
    ]);
    expect((await rebook(_id, times('08:00', '08:30'), { 'if-match': '"7"' })).status).toBe(412);
    expect((await rebook(_id, times('08:00', '08:30'), { 'if-match': '"1"' })).status).toBe(200);
  });

  test('returns 404 for an appointment that does not exist', async () => {
    expect((await rebook('nobody', times('08:00', '08:30'))).status).toBe(404);
  });
});

test('of many callers for one slot, as many get it as there are chairs, and the others get free slots', async () => {
  const CALLERS = 60;
  const CHAIRS = 5;
  const crowded = await addClinic({ chairs: CHAIRS });
  const responses = await Promise.all(
    Array.from({ length: CALLERS }, () => book({ ...times('08:00', '08:30'), clinicId: crowded })),
  );
  const statuses = responses.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(CHAIRS);
  const refused = responses.filter(({ status }) => status === 409);
  expect(refused).toHaveLength(CALLERS - CHAIRS);
  for (const { json } of refused) {
    expect(json.details).toMatchObject({
      reason: 'fully_booked',
      nextSlots: [slot('08:30', '09:00'), slot('09:00', '09:30'), slot('09:30', '10:00')],
    });
  }
  const stored = await api.database.collection('appointments').find({ clinicId: crowded }).toArray();
  expect(stored).toHaveLength(CHAIRS);
  expect(await api.database.collection('appointments').countDocuments({ draftAt: { $exists: true } })).toBe(
    0,
  );
});
