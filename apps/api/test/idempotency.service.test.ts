import { basic, openedDocuments } from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from './api.ts';

let api: TestApi;
let clinicId: string;
beforeAll(async () => {
  api = await openTestApi();
  [clinicId] = api.practice.clinicIds;
});
afterAll(() => api.close());

const post = (key: string, body: object, as?: string, path = '/api/patients') =>
  api.call('POST', path, { body, headers: { 'idempotency-key': key }, ...(as !== undefined && { as }) });
const patientsNamed = async (wanted: string) =>
  (await openedDocuments(api, 'patients')).filter(({ name }) => name === wanted);
type Reservation = { _id: string; recordId: string; eventId: string; leaseUntil: Date; isDone: boolean };
const keys = () => api.database.collection<Reservation & { bodyHash: string }>('idempotencyKeys');

test('returns the same record to a repeated request, and creates no second one', async () => {
  const body = { clinicId, name: 'Only Once' };
  const first = await post('key-1', body);
  expect(first.headers.has('idempotent-replayed')).toBe(false);
  await api.call('PUT', `/api/patients/${first.json._id}`, { body: { phone: '1' } });
  const again = await post('key-1', body);
  expect(again.status).toBe(200);
  expect(again.json).toEqual(first.json);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.headers.get('etag')).toBe('"1"');
  expect(await patientsNamed('Only Once')).toHaveLength(1);
  expect(JSON.stringify(await keys().find().toArray())).not.toContain('Only Once');
});

test('creates one record and one event for fifty concurrent callers with one key', async () => {
  const body = { clinicId, name: 'crowd' };
  const responses = await Promise.all(Array.from({ length: 50 }, () => post('key-2', body)));
  const records = responses.filter(({ status }) => status === 200);
  expect(new Set(records.map(({ json }) => json._id)).size).toBe(1);
  const others = responses.filter(({ status }) => status !== 200);
  expect(others.every(({ status, headers }) => status === 409 && headers.has('retry-after'))).toBe(true);
  const [patient, ...more] = await patientsNamed('crowd');
  expect(more).toEqual([]);
  expect(patient?.outbox).toHaveLength(1);
});

test('refuses the key with another body, and separates keys by principal, route and organization', async () => {
  await post('key-3', { clinicId, name: 'mine' });
  const conflict = await post('key-3', { clinicId, name: 'other' });
  expect({ status: conflict.status, name: conflict.json.name }).toEqual({ status: 409, name: 'Conflict' });
  expect((await post('key-3', { clinicId, name: 'other' }, token(api.practice.staff.token))).status).toBe(
    200,
  );
  expect((await post('key-3', { clinicId }, undefined, '/api/appointments')).status).toBe(200);
  const theirs = { clinicId: api.stranger.clinicIds[0], name: 'mine' };
  expect((await post('key-3', theirs, basic(api.stranger.apiKey))).status).toBe(200);
});

test('returns the record to the next caller after a crash between write and response', async () => {
  const body = { clinicId, name: 'crashed' };
  const first = await post('key-4', body);
  // The state after a crash: the record is stored, the key is not done, and its lease has not expired yet.
  await keys().updateOne({ recordId: first.json._id }, { $set: { isDone: false } });
  const early = await post('key-4', body);
  expect({ status: early.status, retry: Number(early.headers.get('retry-after')) > 0 }).toEqual({
    status: 409,
    retry: true,
  });
  await keys().updateOne({ recordId: first.json._id }, { $set: { leaseUntil: new Date(0) } });
  const again = await post('key-4', body);
  expect(again.json).toEqual(first.json);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(await patientsNamed('crashed')).toHaveLength(1);
});

test('writes with the reserved ids for the next caller after a crash before the write', async () => {
  const body = { clinicId, name: 'unwritten' };
  const first = await post('key-5', body);
  await api.database.collection('patients').deleteOne({ _id: first.json._id });
  await keys().updateOne({ recordId: first.json._id }, { $set: { isDone: false, leaseUntil: new Date(0) } });
  const again = await post('key-5', body);
  expect(again.json._id).toBe(first.json._id);
  expect(again.headers.has('idempotent-replayed')).toBe(false);
});

test('a late refusal does not forget the key of the caller that has taken it over', async () => {
  const { idempotency } = api.practice.store;
  const use = { principal: 'apiKey:late', route: '/api/patients', key: 'key-late' };
  const ids = { recordId: 'late-record', eventId: 'late-event' };
  const now = new Date();
  const late = await idempotency.reserve(use, '{}', ids, now);
  const other = await idempotency.reserve(use, '{}', ids, new Date(now.getTime() + 31_000));
  expect([late.outcome, other.outcome]).toEqual(['reserved', 'taken_over']);
  if (late.outcome !== 'reserved') return;
  await idempotency.release(use, late.lease);
  await idempotency.endLease(use, late.lease, now);
  expect(await idempotency.reserve(use, '{}', ids, now)).toMatchObject({ outcome: 'running' });
  await idempotency.finish(use);
  expect(await idempotency.reserve(use, '{}', ids, now)).toEqual({ outcome: 'done', ids });
});

describe('a 5xx response ends the lease and keeps the reserved ids', () => {
  const reservedFor = async (body: object) => {
    const cipher = await api.store.ciphers.of(api.practice.organizationId);
    const bodyHash = cipher.token('idempotency', JSON.stringify([{}, body, {}])).toString('base64url');
    const [reserved, ...others] = await keys().find({ bodyHash }).toArray();
    expect(others).toEqual([]);
    if (reserved === undefined) throw new Error('nothing is reserved');
    return reserved;
  };

  /** Makes the database refuse a second document like this one during `work`. */
  const refusing = async (collection: string, field: string, like: object, work: () => Promise<void>) => {
    const documents = api.database.collection(collection);
    const planted = await documents.insertOne({ _id: 'planted', ...like });
    const index = await documents.createIndex(
      { [field]: 1 },
      { unique: true, name: 'refusing', partialFilterExpression: like },
    );
    try {
      await work();
    } finally {
      await documents.dropIndex(index);
      await documents.deleteOne({ _id: planted.insertedId });
    }
  };

  test('before the write: the retry creates the record and the event with the reserved ids', async () => {
    // No other test uses this clinic.
    const [, unused] = api.practice.clinicIds;
    const body = { clinicId: unused, name: 'refused' };
    await refusing('patients', 'clinicId', { clinicId: unused }, async () => {
      expect((await post('key-9', body)).status).toBe(500);
    });
    expect(await patientsNamed('refused')).toEqual([]);
    const { recordId, eventId, leaseUntil, isDone } = await reservedFor(body);
    expect({ isDone, hasEnded: leaseUntil.getTime() <= Date.now() }).toEqual({
      isDone: false,
      hasEnded: true,
    });
    const again = await post('key-9', body);
    expect({ status: again.status, _id: again.json._id }).toEqual({ status: 200, _id: recordId });
    expect(again.headers.has('idempotent-replayed')).toBe(false);
    expect(await patientsNamed('refused')).toMatchObject([{ _id: recordId, outbox: [{ _id: eventId }] }]);
  });

  /** Creates a record, but gets a 500 because the key cannot be marked as done. */
  const failAfterWrite = async (key: string, body: object, path?: string) => {
    await keys().deleteMany({ isDone: true });
    await refusing('idempotencyKeys', 'isDone', { isDone: true }, async () => {
      expect((await post(key, body, undefined, path)).status).toBe(500);
    });
    const reserved = await reservedFor(body);
    expect(reserved).toMatchObject({ isDone: false });
    expect(reserved.leaseUntil.getTime()).toBeLessThanOrEqual(Date.now());
    return reserved;
  };

  test('after the write: the retry returns the created record, which has one event', async () => {
    const body = { clinicId, name: 'unfinished' };
    const { recordId, eventId } = await failAfterWrite('key-10', body);
    const again = await post('key-10', body);
    expect(again).toMatchObject({ status: 200, json: { _id: recordId, name: 'unfinished' } });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await patientsNamed('unfinished')).toMatchObject([{ _id: recordId, outbox: [{ _id: eventId }] }]);
    expect((await post('key-10', body)).json).toEqual(again.json);
  });

  test('after the write: the retry does not create a deleted record again', async () => {
    const body = { clinicId, name: 'unfinished and gone' };
    const { recordId } = await failAfterWrite('key-11', body);
    await api.call('DELETE', `/api/patients/${recordId}`);
    // Do the same as the dispatcher: the events enter the log, and the document of the deleted record is removed.
    const { outbox, events } = api.store.everyOrganization;
    const { organizationId } = api.practice;
    const waiting = await outbox.read([{ kind: 'patient', organizationId, recordId }]);
    await events.enter(waiting);
    await outbox.takeOut(waiting);
    expect(await patientsNamed('unfinished and gone')).toEqual([]);
    const again = await post('key-11', body);
    expect(again).toMatchObject({ status: 200, json: { _id: recordId } });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await patientsNamed('unfinished and gone')).toEqual([]);
  });

  test('after the write: the retry succeeds although the clinic or patient of the record was deleted', async () => {
    const patient = await api.call('POST', '/api/patients', { body: { clinicId } });
    const body = { clinicId, patientId: patient.json._id };
    const { recordId } = await failAfterWrite('key-12', body, '/api/appointments');
    await api.call('DELETE', `/api/patients/${patient.json._id}`);
    const again = await post('key-12', body, undefined, '/api/appointments');
    expect(again).toMatchObject({ status: 200, json: { _id: recordId, patientId: patient.json._id } });
  });
});

test('releases the key of a refused request, so that the corrected request can use it', async () => {
  expect((await post('key-6', { clinicId: 'nowhere' })).status).toBe(400);
  expect((await post('key-6', { clinicId, name: 'mended' })).status).toBe(200);
});

test('a replay returns the record as it was created, even if it has been deleted since', async () => {
  const first = await post('key-7', { clinicId, name: 'gone' });
  await api.call('DELETE', `/api/patients/${first.json._id}`);
  expect((await post('key-7', { clinicId, name: 'gone' })).json).toEqual(first.json);
});

test.each([
  ['empty', ' '.repeat(0)],
  ['too long', 'x'.repeat(256)],
  ['not ASCII', 'sch\u00f6n'],
])('refuses a key that is %s', async (_name, key) => {
  const { status, json } = await post(key, { clinicId });
  expect({ status, name: json.name }).toEqual({ status: 400, name: 'BadRequest' });
});

test('refuses a key on every other POST instead of ignoring it', async () => {
  const { status, json } = await post(
    'key-8',
    { clinicId, url: 'https://example.com' },
    token(api.practice.administrator.token),
    '/api/webhooksubscriptions',
  );
  expect(status).toBe(400);
  expect(json.message).toContain('Idempotency-Key');
});
