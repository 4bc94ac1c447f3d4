import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type EventName, newEvent, newId, type RecordKind } from '@chairside/domain';
import { canaryFinder, sealedEvent } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from '../../test/api.ts';
import { largeAppointment } from '../../test/large-appointments.ts';
import { recordOf } from '../../test/logged-events.ts';
import { createReadOnlyRecords } from '../../test/read-only-records.ts';

const CANARY = 'paradiesvogel';

let api: TestApi;
let clinicId: string;
let as: string;
beforeAll(async () => {
  api = await openTestApi();
  [clinicId] = api.practice.clinicIds;
  as = token(api.practice.administrator.token);
});
afterAll(() => api.close());

const time = (index: number) => new Date(Date.UTC(2030, 0, 1, 0, index)).toISOString();

const createPatient = async (): Promise<string> =>
  (await api.call('POST', '/api/patients', { body: { clinicId, name: CANARY, externalId: newId() } })).json
    ._id;

const createAppointment = async (patientId: string, index: number, large = {}): Promise<string> => {
  const _id = newId();
  await api.practice.store.appointments.create({
    ...{ _id, clinicId, patientId, status: 'REQUESTED', startTime: time(index), procedures: [] },
    ...{ reminders: [{ text: CANARY }], createdTime: time(0), lastEditTime: time(0), ...large },
  });
  return _id;
};

/** Enters an event for each of these records into the log, in their order. */
const logEventsOf = async (
  records: readonly { event: EventName; recordId: string; patientId: string }[],
): Promise<string[]> => {
  const { organizationId } = api.practice;
  const cipher = await api.store.ciphers.of(organizationId);
  const author = { principal: { kind: 'system' as const, id: 'test' }, requestId: 'r' };
  const made = records.map(({ event, recordId, patientId }) => {
    const kind = event.split('.')[0] as RecordKind;
    const data = { ...recordOf(event, clinicId), _id: recordId, ...(kind !== 'patient' && { patientId }) };
    const details = { _id: newId(), event, time: new Date(), author };
    return { ...newEvent(details, data), organizationId, kind, recordId };
  });
  await api.store.everyOrganization.events.enter(made.map((event) => sealedEvent(event, cipher)));
  const events = api.database.collection<{ _id: string }>('events');
  const begin = Date.now() - 3_600_000;
  for (const [index, { _id }] of made.entries())
    await events.updateOne({ _id }, { $set: { insertedAt: new Date(begin + index) } });
  return made.map(({ _id }) => _id);
};

const entriesOf = (requestId: string | null) =>
  api.database
    .collection('auditEntries')
    .find({ requestId: requestId ?? '' }, { sort: { action: 1, kind: 1 } })
    .toArray();

test('returns what each route returns of the patient, and of nobody else, however much that is', async () => {
  const patientId = await createPatient();
  const otherId = await createPatient();
  const appointmentIds: string[] = [];
  for (let index = 0; index < 230; index++) appointmentIds.push(await createAppointment(patientId, index));
  await createAppointment(otherId, 1);
  const { invoiceId, paymentId, treatmentId } = await createReadOnlyRecords(api.practice, patientId);
  await createReadOnlyRecords(api.practice, otherId);
  const deletedId = newId();
  const [first = ''] = appointmentIds;
  const about = (event: EventName, recordId: string, id = patientId) => ({ event, recordId, patientId: id });
  const eventIds = await logEventsOf([
    about('patient.created', patientId),
    ...Array.from({ length: 400 }, () => about('appointment.updated', first)),
    about('appointment.deleted', deletedId),
    about('invoice.created', invoiceId),
    about('payment.created', paymentId),
    about('patient.updated', patientId),
  ]);
  // The events of another patient, and of an appointment that belonged to another patient.
  await logEventsOf([
    about('patient.created', otherId, otherId),
    about('appointment.updated', first, otherId),
  ]);
  const listedIds = Array.from({ length: 60 }, () => newId());
  const readers = (['apiKey', 'operator', 'app', 'programToken'] as const).map((kind) => ({
    kind,
    id: newId(),
  }));
  const read = (index: number, ids: string[], action: 'read' | 'listed' | 'updated' = 'read') =>
    api.practice.store.audit.add({
      ...{ action, kind: 'patient', ids, result: 'ok', requestId: `request-${index}` },
      principal: readers[index % 4] ?? { kind: 'unknown', id: '' },
    });
  for (let index = 0; index < 450; index++)
    await (index % 9 === 0 ? read(index, [patientId, ...listedIds], 'listed') : read(index, [patientId]));
  await read(1000, [otherId]);
  await read(1001, [patientId], 'updated');

  const { status, headers, json } = await api.call('GET', `/api/patients/${patientId}/export`, { as });
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  const requestId = headers.get('x-request-id');
  const get = async (path: string) => (await api.call('GET', path, { as })).json;
  expect(Object.keys(json)).toEqual([
    ...['patient', 'appointments', 'invoices', 'payments', 'treatments', 'events', 'reads'],
  ]);
  expect(json.patient).toEqual(await get(`/api/patients/${patientId}`));
  expect(json.patient.externalId).toBeDefined();
  expect(json.appointments).toHaveLength(230);
  expect(json.appointments).toEqual(await get(`/api/appointments?patientId=${patientId}`));
  expect(json.invoices).toEqual([await get(`/api/invoices/${invoiceId}`)]);
  expect(json.payments).toEqual([await get(`/api/payments/${paymentId}`)]);
  expect(json.treatments).toEqual([await get(`/api/treatments/${treatmentId}`)]);
  expect(json.events.map(({ id }: { id: string }) => id)).toEqual(eventIds);
  for (const index of [0, 1, 401, 404])
    expect(json.events[index]).toEqual(await get(`/api/events/${eventIds[index]}`));
  const own = json.reads.filter((each: { requestId: string }) => each.requestId === requestId);
  const others = json.reads.filter((each: { requestId: string }) => each.requestId !== requestId);
  const times = others.map((each: { time: string }) => each.time);
  expect(times).toEqual(times.toSorted().toReversed());
  // Reads of the same millisecond have no order.
  const numberOf = ({ requestId: id }: { requestId: string }) => Number(id.split('-')[1]);
  expect(others.toSorted((one: any, other: any) => numberOf(one) - numberOf(other))).toEqual(
    Array.from({ length: 450 }, (_, index) => ({
      time: expect.any(String),
      action: index % 9 === 0 ? 'listed' : 'read',
      principal: readers[index % 4],
      result: 'ok',
      requestId: `request-${index}`,
    })),
  );
  expect(own.map(({ action }: { action: string }) => action).sort()).toEqual(
    expect.arrayContaining(['events_read', 'exported']),
  );
  const text = JSON.stringify(json);
  for (const id of [otherId, ...listedIds]) expect(text).not.toContain(id);

  const entries = await entriesOf(requestId);
  const principal = { kind: 'operator', id: api.practice.administrator._id };
  expect(entries.every((each) => each.principal.id === principal.id && each.result === 'ok')).toBe(true);
  const idsOf = (action: string, kind: string) => [
    ...new Set(entries.flatMap((each) => (each.action === action && each.kind === kind ? each.ids : []))),
  ];
  const setsOf = (kind: string) =>
    entries.some((each) => each.kind === kind && (each.sets as string[] | undefined)?.length);
  expect(idsOf('exported', 'patient')).toEqual([patientId]);
  expect(idsOf('exported', 'invoice')).toEqual([invoiceId]);
  expect(idsOf('exported', 'payment')).toEqual([paymentId]);
  expect(idsOf('exported', 'treatment')).toEqual([treatmentId]);
  // An entry of many ids refers to sets of them.
  expect(setsOf('appointment')).toBe(true);
  expect(idsOf('events_read', 'appointment')).toEqual(expect.arrayContaining([first, deletedId]));
  expect(idsOf('events_read', 'patient')).toEqual([patientId]);
});

test('is for administrators alone, and knows no patient of others, no deleted and no unknown one', async () => {
  const patientId = await createPatient();
  const path = `/api/patients/${patientId}/export`;
  const { json: made } = await api.call('POST', '/api/sessions/current/tokens', {
    as,
    body: { name: 'program', access: 'webhooks' },
  });
  const refused = [
    await api.call('GET', path),
    await api.call('GET', path, { as: token(api.practice.staff.token) }),
    await api.call('GET', path, { as: token(made.token) }),
  ];
  for (const { status, headers, json } of refused) {
    expect([status, json.details.requiredRole]).toEqual([403, 'administrator']);
    // The first use of a program token leaves an entry of its own.
    const entries = await entriesOf(headers.get('x-request-id'));
    expect(entries.filter(({ kind }) => kind !== 'session')).toEqual([]);
  }
  const missing = [
    await api.call('GET', path, { as: token(api.stranger.administrator.token) }),
    await api.call('GET', '/api/patients/unknown/export', { as }),
  ];
  await api.call('DELETE', `/api/patients/${patientId}`);
  missing.push(await api.call('GET', path, { as }));
  for (const { status, headers } of missing) {
    expect(status).toBe(404);
    expect(await entriesOf(headers.get('x-request-id'))).toEqual([]);
  }
});

test('a patient of whom little is stored has an export, which is the only read of it', async () => {
  const patientId = await createPatient();
  const { headers, json } = await api.call('GET', `/api/patients/${patientId}/export`, { as });
  const principal = { kind: 'operator', id: api.practice.administrator._id };
  const own = { principal, action: 'exported', result: 'ok', requestId: headers.get('x-request-id') };
  expect(json).toMatchObject({
    ...{ patient: { _id: patientId }, appointments: [], invoices: [], payments: [], treatments: [] },
    ...{ events: [], reads: [own] },
  });
  expect(await entriesOf(own.requestId)).toMatchObject([{ ...own, kind: 'patient', ids: [patientId] }]);
});

test('is not the path of the patient with the external id `export`', async () => {
  const { json } = await api.call('POST', '/api/patients', { body: { clinicId, externalId: 'export' } });
  expect((await api.call('GET', '/api/patients/external/export', { as })).json).toEqual(json);
});

test('a HEAD request returns nothing, and leaves an entry that says so', async () => {
  const patientId = await createPatient();
  const { status, headers, text } = await api.call('HEAD', `/api/patients/${patientId}/export`, { as });
  expect([status, text, headers.get('content-length')]).toEqual([200, '', null]);
  expect(await entriesOf(headers.get('x-request-id'))).toMatchObject([
    { action: 'exported', kind: 'patient', ids: [patientId], result: 'headers' },
  ]);
});

/** Begins an export and reads nothing of it. */
const begin = async (patientId: string): Promise<IncomingMessage> => {
  const call = request(`${api.url}/api/patients/${patientId}/export`, { headers: { authorization: as } });
  call.end();
  return (await once(call, 'response'))[0];
};
const abortedIn = (lines: readonly string[]): number =>
  lines.filter((line) => line.includes('request aborted') && line.includes('/export')).length;

test('ends when the caller disconnects, and is recognizable as incomplete when a record does not open', async () => {
  const patientId = await createPatient();
  const ids: string[] = [];
  for (let index = 0; index < 100; index++)
    ids.push(await createAppointment(patientId, index, largeAppointment()));

  api.commands.length = 0;
  const left = await begin(patientId);
  await once(left, 'readable');
  left.destroy();
  await expect.poll(() => abortedIn(api.logs)).toBe(1);
  await expect.poll(() => api.commands.includes('killCursors')).toBe(true);
  const [entry] = (await entriesOf(String(left.headers['x-request-id']))).filter(
    ({ kind }) => kind === 'patient',
  );
  expect(entry).toMatchObject({ action: 'exported', ids: [patientId] });
  const audited = (await entriesOf(String(left.headers['x-request-id']))).flatMap(({ ids: some }) => some);
  expect(audited).not.toContain(ids.at(-1));

  // The last record is damaged, as a fault of a disk would do it.
  const appointments = api.database.collection<{ _id: string; sealed?: any }>('appointments');
  const _id = ids.at(-1) ?? '';
  const bytes = Buffer.from((await appointments.findOne({ _id }))?.sealed.buffer);
  bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
  await appointments.updateOne({ _id }, { $set: { sealed: bytes } });
  for (const encoding of ['identity', 'gzip']) {
    const headers = { authorization: as, 'accept-encoding': encoding };
    const response = await fetch(`${api.url}/api/patients/${patientId}/export`, { headers });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  }
  const logged = api.logs.join('\n');
  expect(logged).toContain(_id);
  expect(canaryFinder(CANARY)(Buffer.from(logged))).toBeUndefined();

  // All of the above have ended: two exports can be open again, and a third one cannot. A slow reader delays no other one.
  const slow = await begin(patientId);
  const other = await api.call('GET', `/api/patients/${await createPatient()}/export`, { as });
  expect(other.status).toBe(200);
  const open = [slow, await begin(patientId)];
  const third = await api.call('GET', `/api/patients/${patientId}/export`, { as });
  expect([third.status, third.headers.get('retry-after')]).toEqual([429, '5']);
  for (const each of open) each.destroy();
  await expect.poll(() => abortedIn(api.logs)).toBe(5);
});
