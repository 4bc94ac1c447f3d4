import { newId } from '@chairside/domain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi } from '../../test/api.ts';

let api: TestApi;
let clinicId: string;
beforeAll(async () => {
  api = await openTestApi();
  [clinicId] = api.practice.clinicIds;
});
afterAll(() => api.close());

const create = async (fields: object = {}) => {
  const { status, json } = await api.call('POST', '/api/appointments', { body: { clinicId, ...fields } });
  expect(status).toBe(200);
  return json;
};
const issuesOf = async (method: string, path: string, body: object) => {
  const { status, json } = await api.call(method, path, { body });
  expect(status).toBe(400);
  return json.details.issues;
};

describe('POST /api/appointments', () => {
  test.each([
    [{}, 'REQUESTED'],
    [{ startTime: '2030-01-01T10:00:00Z' }, 'REQUESTED'],
    [{ startTime: '2030-01-01T10:00:00Z', endTime: '2030-01-01T10:30:00Z' }, 'SCHEDULED'],
    [{ status: 'NO_SHOW' }, 'NO_SHOW'],
  ])('%j starts as %s', async (fields, status) => {
    expect((await create(fields)).status).toBe(status);
  });

  test('returns times in UTC with milliseconds, and empty lists instead of absent ones', async () => {
    const created = await create({
      startTime: '2030-01-01T10:00:00+02:00',
      endTime: '2030-01-01T09:00:00.5Z',
    });
    expect(created).toMatchObject({
      startTime: '2030-01-01T08:00:00.000Z',
      endTime: '2030-01-01T09:00:00.500Z',
      procedures: [],
      reminders: [],
    });
  });

  test('keeps the JSON type of prices and the keys of reminders, and adds a missing _id to a procedure', async () => {
    const reminders = [{ $set: { 'a.b': [1, null, 'x'] }, when: 24 }];
    const created = await create({
      procedures: [
        { procedureId: 'p', name: 'n', price: '12.50' },
        { _id: 'own', procedureId: 'p', price: 12.5 },
        { procedureId: 'p', price: null },
      ],
      reminders,
    });
    expect(created.procedures).toEqual([
      { _id: expect.any(String), procedureId: 'p', name: 'n', price: '12.50' },
      { _id: 'own', procedureId: 'p', price: 12.5 },
      { _id: expect.any(String), procedureId: 'p' },
    ]);
    expect((await api.call('GET', `/api/appointments/${created._id}`)).json).toEqual({
      ...created,
      reminders,
    });
  });

  test.each([
    [
      'an end before the start',
      { startTime: '2030-01-01T10:00:00Z', endTime: '2030-01-01T10:00:00Z' },
      'endTime',
    ],
    [
      'more than 31 days',
      { startTime: '2030-01-01T00:00:00Z', endTime: '2030-02-01T00:00:00.001Z' },
      'endTime',
    ],
    ['a date without a time', { startTime: '2030-01-01' }, 'startTime'],
    ['a time without a time zone', { startTime: '2030-01-01T10:00:00' }, 'startTime'],
    ['an impossible day', { startTime: '2030-02-30T10:00:00Z' }, 'startTime'],
    ['a leap second', { startTime: '2016-12-31T23:59:60Z' }, 'startTime'],
    ['an unknown status', { status: 'DONE' }, 'status'],
    ['null for the status', { status: null }, 'status'],
    ['a provider that does not exist', { providerId: 'nobody' }, 'providerId'],
    ['a patient that does not exist', { patientId: 'nobody' }, 'patientId'],
    ['too many reminders', { reminders: Array(21).fill({}) }, 'reminders'],
    ['too large a reminder', { reminders: [{ text: 'x'.repeat(4096) }] }, 'reminders.0'],
    ['an integer past 2^53 in a reminder', { reminders: [{ n: 2 ** 60 }] }, 'reminders.0'],
    ['a procedure without procedureId', { procedures: [{ name: 'x' }] }, 'procedures.0.procedureId'],
    [
      'an unknown key in a procedure',
      { procedures: [{ procedureId: 'p', tooth: 11 }] },
      'procedures.0.tooth',
    ],
  ])('refuses %s', async (_name, fields, path) => {
    const issues = await issuesOf('POST', '/api/appointments', { clinicId, ...fields });
    expect(issues).toMatchObject([{ path, message: expect.any(String) }]);
  });

  test('refuses a patient of another organization with the message of a missing patient', async () => {
    const theirs = 'theirs';
    await api.stranger.store.patients.create({
      _id: theirs,
      clinicId: api.stranger.clinicIds[0],
      createdTime: new Date().toISOString(),
      lastEditTime: new Date().toISOString(),
    });
    const issues = await issuesOf('POST', '/api/appointments', { clinicId, patientId: theirs });
    expect(issues).toEqual(await issuesOf('POST', '/api/appointments', { clinicId, patientId: 'nobody' }));
  });
});

describe('PUT /api/appointments/{appointmentId}', () => {
  const times = { startTime: '2030-01-01T10:00:00.000Z', endTime: '2030-01-01T11:00:00.000Z' };

  test('allows every change of status', async () => {
    const { _id } = await create(times);
    for (const status of ['CANCELED', 'REQUESTED', 'PATIENT_ARRIVED', 'NO_SHOW', 'SCHEDULED']) {
      expect((await api.call('PUT', `/api/appointments/${_id}`, { body: { status } })).json.status).toBe(
        status,
      );
    }
  });

  test('compares a new endTime with the stored startTime', async () => {
    const { _id } = await create(times);
    expect(
      await issuesOf('PUT', `/api/appointments/${_id}`, { endTime: '2030-01-01T09:00:00Z' }),
    ).toMatchObject([{ path: 'endTime', message: 'must be after startTime' }]);
    const { status } = await api.call('PUT', `/api/appointments/${_id}`, {
      body: { startTime: null, endTime: '2030-01-01T09:00:00Z' },
    });
    expect(status).toBe(200);
  });

  test('clears a time and empties a list with null', async () => {
    const { _id } = await create({ ...times, procedures: [{ procedureId: 'p' }], reminders: [{ a: 1 }] });
    const { json } = await api.call('PUT', `/api/appointments/${_id}`, {
      body: { startTime: null, endTime: null, procedures: null, reminders: null },
    });
    expect(json).not.toHaveProperty('startTime');
    expect(json).toMatchObject({ procedures: [], reminders: [] });
  });

  test('keeps the reference to a patient that has been deleted', async () => {
    const patient = await api.call('POST', '/api/patients', { body: { clinicId } });
    const appointment = await create({ patientId: patient.json._id });
    await api.call('DELETE', `/api/patients/${patient.json._id}`);
    const { status, json } = await api.call('PUT', `/api/appointments/${appointment._id}`, {
      body: { ...appointment, status: 'CANCELED' },
    });
    expect(status).toBe(200);
    expect(json.patientId).toBe(patient.json._id);
  });
});

describe('the provider of an appointment', () => {
  const provider = async (of: TestApi['practice'] = api.practice) => {
    const _id = newId();
    await of.store.providers.create({ _id, name: 'Dr. Ines Albers', clinicIds: [String(of.clinicIds[0])] });
    return _id;
  };

  test('is absent unless it was sent, and null clears it', async () => {
    const providerId = await provider();
    expect(await create()).not.toHaveProperty('providerId');
    const { _id, ...created } = await create({ providerId });
    expect(created).toMatchObject({ providerId });
    const one = `/api/appointments/${_id}`;
    expect((await api.call('GET', one)).json.providerId).toBe(providerId);
    const kept = await api.call('PUT', one, { body: { status: 'CANCELED' } });
    expect(kept.json.providerId).toBe(providerId);
    const cleared = await api.call('PUT', one, { body: { providerId: null } });
    expect(cleared.json).not.toHaveProperty('providerId');
  });

  test('is a filter of the list', async () => {
    const providerId = await provider();
    const { _id } = await create({ providerId });
    const { json } = await api.call('GET', `/api/appointments?providerId=${providerId}`);
    expect(json.map((each: { _id: string }) => each._id)).toEqual([_id]);
  });

  test('of another organization is refused like a missing one', async () => {
    const refusedFor = (providerId: string) =>
      issuesOf('POST', '/api/appointments', { clinicId, providerId });
    expect(await refusedFor(await provider(api.stranger))).toEqual(await refusedFor('nobody'));
    const { _id } = await create();
    expect(await issuesOf('PUT', `/api/appointments/${_id}`, { providerId: 'nobody' })).toMatchObject([
      { path: 'providerId', message: 'must be the id of a provider in your organization' },
    ]);
  });

  test('stays when the provider is deleted', async () => {
    const providerId = await provider();
    const { _id } = await create({ providerId });
    await api.practice.store.providers.delete(providerId);
    const { status, json } = await api.call('PUT', `/api/appointments/${_id}`, {
      body: { status: 'NO_SHOW' },
    });
    expect([status, json.providerId]).toEqual([200, providerId]);
  });
});

describe('GET /api/appointments: appointments that overlap a half-open period', () => {
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    const hour = (h: number) => `2031-05-01T${String(h).padStart(2, '0')}:00:00.000Z`;
    ids.early = (await create({ startTime: hour(8), endTime: hour(9) }))._id;
    ids.middle = (await create({ startTime: hour(9), endTime: hour(11) }))._id;
    ids.late = (await create({ startTime: hour(11), endTime: hour(12) }))._id;
    ids.point = (await create({ startTime: hour(10) }))._id;
    ids.long = (await create({ startTime: '2031-04-10T00:00:00Z', endTime: '2031-05-01T10:30:00Z' }))._id;
    ids.endOnly = (await create({ endTime: hour(10) }))._id;
  });
  const names = async (query: string) => {
    const { json } = await api.call('GET', `/api/appointments?${query}`);
    const byId = Object.fromEntries(Object.entries(ids).map(([name, id]) => [id, name]));
    return json
      .map(({ _id }: { _id: string }) => byId[_id])
      .filter((name: string | undefined) => name !== undefined);
  };

  test.each([
    ['startTime=2031-05-01T09:00:00Z&endTime=2031-05-01T11:00:00Z', ['long', 'middle', 'point']],
    ['startTime=2031-05-01T10:00:00Z&endTime=2031-05-01T10:00:01Z', ['long', 'middle', 'point']],
    ['startTime=2031-05-01T10:00:01Z&endTime=2031-05-01T10:00:02Z', ['long', 'middle']],
    ['startTime=2031-05-01T10:30:00Z&endTime=2031-05-02T00:00:00Z', ['middle', 'late']],
    ['endTime=2031-05-01T08:00:00Z&startTime=2031-04-01T00:00:00Z', ['long']],
    ['startTime=2031-05-01T11:00:00Z&endTime=2031-06-01T00:00:00Z', ['late']],
  ])('?%s', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  test('filters by one of the two bounds alone', async () => {
    expect(await names('startTime=2031-05-01T11:00:00Z')).toEqual(['late']);
    expect(await names('endTime=2031-04-11T00:00:00Z')).toEqual(['long']);
  });

  test('sorts by startTime, then _id, with appointments without startTime first', async () => {
    expect(await names('')).toEqual(['endOnly', 'long', 'early', 'middle', 'point', 'late']);
  });

  test('refuses a bound that is not an instant', async () => {
    const { status, json } = await api.call('GET', '/api/appointments?startTime=tomorrow');
    expect(status).toBe(400);
    expect(json.details.issues[0].path).toBe('startTime');
  });
});
