import { basic } from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ContractPractice,
  dateTime,
  identifier,
  openContractPractice,
  patient,
  procedures,
  times,
} from './contract-practice.ts';

/* The chapter "Endpoints" of the service description: the statements of each row about records, requests and responses. */
describe.each(['single calls', 'batches'] as const)('with %s', (by) => {
  let api: ContractPractice;
  let clinicId: string;
  let patientId: string;
  beforeAll(async () => {
    api = await openContractPractice(by);
    ({ clinicId, patientId } = api);
  });
  afterAll(() => api.close());

  const appointment = {
    _id: identifier,
    clinicId: identifier,
    status: expect.stringMatching(/^(REQUESTED|SCHEDULED|PATIENT_ARRIVED|NO_SHOW|CANCELED)$/),
    procedures: expect.any(Array),
    reminders: expect.any(Array),
    createdTime: dateTime,
    lastEditTime: dateTime,
  };
  const idsOf = (rows: { _id: string }[]) => rows.map(({ _id }) => _id);

  describe('Appointments', () => {
    const path = '/api/appointments';

    test('GET | query (all optional strings): clinicId, patientId, startTime, endTime', async () => {
      const other = await api.ok('POST', '/api/patients', { clinicId: api.practice.clinicIds[0] });
      const sent = { clinicId: api.practice.clinicIds[0], patientId: other._id, ...times };
      const { _id } = await api.ok('POST', path, { ...sent, endTime: '2030-03-01T09:15:00Z' });
      const found = async (query: string) => idsOf(await api.ok('GET', `${path}${query}`));
      expect(await found('')).toEqual(expect.arrayContaining([_id, api.appointmentId]));
      expect(await found(`?clinicId=${sent.clinicId}`)).toEqual([_id]);
      expect(await found(`?patientId=${sent.patientId}`)).toEqual([_id]);
      expect(await found(`?patientId=${sent.patientId}&clinicId=${clinicId}`)).toEqual([]);
      const range = '?startTime=2030-03-01T09:00:00Z&endTime=2030-03-01T10:00:00Z';
      expect(await found(range)).toEqual(expect.arrayContaining([_id, api.appointmentId]));
      expect(await found('?startTime=2030-03-01T09:20:00Z')).not.toContain(_id);
      expect(await found('?startTime=2030-03-01T09:20:00Z')).toContain(api.appointmentId);
      expect(await found('?endTime=2030-03-01T09:00:00Z')).toEqual([]);
    });

    test('GET | fields (comma-separated projection of fields to return)', async () => {
      const rows = await api.ok('GET', `${path}?patientId=${patientId}&fields=_id,startTime`);
      expect(rows).toEqual([{ _id: api.appointmentId, startTime: dateTime }]);
    });

    test('GET | 200 array of Appointment', async () => {
      for (const row of await api.ok('GET', path)) expect(row).toMatchObject(appointment);
    });

    test('POST | body: clinicId (string, required), patientId, startTime, endTime (strings, optional) | 200 the created Appointment', async () => {
      expect(await api.ok('POST', path, { clinicId })).toEqual({ ...appointment, clinicId });
      const created = await api.ok('POST', path, { clinicId, patientId, ...times });
      expect(created).toEqual({
        ...appointment,
        clinicId,
        patientId,
        startTime: dateTime,
        endTime: dateTime,
      });
      expect(Date.parse(created.startTime)).toBe(Date.parse(times.startTime));
      expect(Date.parse(created.endTime)).toBe(Date.parse(times.endTime));
      expect(await api.ok('GET', `${path}/${created._id}`)).toEqual(created);
      expect((await api.call('POST', path, { body: { patientId, ...times } })).status).toBe(400);
    });

    test.each([
      ['patientId', () => patientId],
      ['startTime', () => times.startTime],
      ['endTime', () => times.endTime],
    ])('POST | body: %s is optional by itself', async (field, value) => {
      const created = await api.ok('POST', path, { clinicId, [field]: value() });
      expect(created).toHaveProperty(field);
    });

    test('GET {appointmentId} | 200 Appointment', async () => {
      const read = await api.ok('GET', `${path}/${api.appointmentId}`);
      expect(read).toEqual({
        ...appointment,
        _id: api.appointmentId,
        patientId,
        startTime: dateTime,
        endTime: dateTime,
      });
    });

    test('PUT | body with optional fields _id, clinicId, patientId, startTime, endTime, status, procedures, reminders, lastEditTime', async () => {
      const created = await api.ok('POST', path, { clinicId, patientId, ...times });
      const body = { ...created, status: 'NO_SHOW', procedures, reminders: [{ anything: { goes: true } }] };
      expect(Object.keys(body).sort()).toEqual(
        '_id clinicId createdTime endTime lastEditTime patientId procedures reminders startTime status'.split(
          ' ',
        ),
      );
      const updated = await api.ok('PUT', `${path}/${created._id}`, body);
      expect(updated).toEqual({ ...body, lastEditTime: dateTime });
      expect(await api.ok('GET', `${path}/${created._id}`)).toEqual(updated);
    });

    test('PUT | each of the fields is optional | 200 the updated Appointment', async () => {
      const created = await api.ok('POST', path, { clinicId, patientId, ...times });
      const one = `${path}/${created._id}`;
      const changes = {
        _id: created._id,
        clinicId: api.practice.clinicIds[1],
        patientId,
        startTime: '2030-03-01T08:00:00.000Z',
        endTime: '2030-03-01T10:00:00.000Z',
        status: 'PATIENT_ARRIVED',
        procedures,
        reminders: [{ a: 1 }],
      };
      let expected = created;
      for (const [field, value] of Object.entries(changes)) {
        expected = { ...expected, [field]: value, lastEditTime: dateTime };
        expect(await api.ok('PUT', one, { [field]: value })).toEqual(expected);
      }
      expect(await api.ok('PUT', one, { lastEditTime: created.lastEditTime })).toEqual(expected);
      expect(await api.ok('PUT', one, {})).toEqual(expected);
    });

    test('DELETE | 200 the deleted Appointment', async () => {
      const created = await api.ok('POST', path, { clinicId, ...times });
      const deleted = await api.ok('DELETE', `${path}/${created._id}`);
      expect(deleted).toEqual({ ...created, lastEditTime: dateTime });
      expect((await api.call('GET', `${path}/${created._id}`)).status).toBe(404);
    });

    test('Times sent are ISO 8601 instants.', async () => {
      for (const startTime of [
        '2030-03-01T09:00:00Z',
        '2030-03-01T10:00:00+01:00',
        '2030-03-01t10:00:00+0100',
      ]) {
        const rows = await api.ok('GET', `${path}?startTime=${encodeURIComponent(startTime)}`);
        expect(idsOf(rows)).toContain(api.appointmentId);
      }
      expect((await api.call('GET', `${path}?startTime=2030-03-01`)).status).toBe(400);
    });
  });

  describe('Clinics, Invoices, Payments, Treatments', () => {
    test('GET /api/clinics | none | 200 array of Clinic', async () => {
      const clinics = await api.ok('GET', '/api/clinics');
      expect(idsOf(clinics).sort()).toEqual([...api.practice.clinicIds, clinicId].sort());
    });

    test.each([
      ['invoices', 2],
      ['payments', 1],
    ])('GET /api/%s | query (optional strings): clinicId, patientId | 200 array', async (kind, count) => {
      const path = `/api/${kind}`;
      expect(await api.ok('GET', path)).toHaveLength(count);
      for (const query of [`clinicId=${clinicId}`, `patientId=${patientId}`]) {
        expect(await api.ok('GET', `${path}?${query}`)).toHaveLength(count);
      }
      expect(await api.ok('GET', `${path}?clinicId=${clinicId}&patientId=${patientId}`)).toHaveLength(count);
      for (const query of [`clinicId=${api.practice.clinicIds[0]}`, 'patientId=another']) {
        expect(await api.ok('GET', `${path}?${query}`)).toEqual([]);
      }
    });

    test('GET /api/treatments | none | 200 array of treatments (the organization’s clinical treatment records)', async () => {
      expect(await api.ok('GET', '/api/treatments')).toMatchObject([
        { _id: identifier, clinicId, patientId },
      ]);
      expect(await api.ok('GET', '/api/treatments', undefined, basic(api.stranger.apiKey))).toEqual([]);
    });
  });

  describe('Patients', () => {
    const path = '/api/patients';

    test('GET | query (optional strings): clinicId, email, _ids (comma-separated patient ids)', async () => {
      const sent = { clinicId: api.practice.clinicIds[1], email: 'only.one@example.com' };
      const { _id } = await api.ok('POST', path, sent);
      const found = async (query: string) => idsOf(await api.ok('GET', `${path}${query}`));
      expect(await found('')).toEqual(expect.arrayContaining([_id, patientId]));
      expect(await found(`?clinicId=${sent.clinicId}`)).toEqual([_id]);
      expect(await found(`?email=${sent.email}`)).toEqual([_id]);
      expect(await found(`?_ids=${_id}`)).toEqual([_id]);
      expect((await found(`?_ids=${_id},${patientId}`)).sort()).toEqual([_id, patientId].sort());
      expect(await found(`?_ids=${_id},${patientId}&clinicId=${sent.clinicId}`)).toEqual([_id]);
    });

    test('GET | fields (comma-separated projection) | 200 array of Patient', async () => {
      const [whole] = await api.ok('GET', `${path}?_ids=${patientId}`);
      expect(whole).toEqual({
        ...patient,
        _id: patientId,
        clinicId,
        createdTime: dateTime,
        lastEditTime: dateTime,
      });
      const [projected] = await api.ok('GET', `${path}?_ids=${patientId}&fields=_id,name`);
      expect(projected).toEqual({ _id: patientId, name: patient.name });
    });

    test('POST | body: clinicId (string, required), name, email, phone (strings, optional) | 200 the created Patient', async () => {
      const sent = { clinicId, name: 'Bea', email: 'bea@example.com', phone: '1' };
      const created = await api.ok('POST', path, sent);
      expect(created).toEqual({ ...sent, _id: identifier, createdTime: dateTime, lastEditTime: dateTime });
      expect(await api.ok('GET', `${path}/${created._id}`)).toEqual(created);
      const least = { _id: identifier, clinicId, createdTime: dateTime, lastEditTime: dateTime };
      expect(await api.ok('POST', path, { clinicId })).toEqual(least);
      for (const field of ['name', 'email', 'phone'] as const) {
        const some = { [field]: sent[field] };
        expect(await api.ok('POST', path, { clinicId, ...some })).toEqual({ ...least, ...some });
      }
      expect((await api.call('POST', path, { body: { name: 'Bea' } })).status).toBe(400);
    });

    test('GET {patientId} | 200 Patient', async () => {
      const { _id } = await api.ok('POST', path, { clinicId, ...patient });
      expect(await api.ok('GET', `${path}/${_id}`)).toEqual({
        ...patient,
        _id,
        clinicId,
        createdTime: dateTime,
        lastEditTime: dateTime,
      });
    });

    test('PUT | body with optional fields _id, clinicId, name, email (email format), phone, language, lastEditTime', async () => {
      const created = await api.ok('POST', path, { clinicId, ...patient });
      const body = { ...created, name: 'Ada B.', language: 'en' };
      expect(Object.keys(body).sort()).toEqual(
        '_id clinicId createdTime email language lastEditTime name phone'.split(' '),
      );
      const one = `${path}/${created._id}`;
      expect(await api.ok('PUT', one, body)).toEqual({ ...body, lastEditTime: dateTime });
      expect((await api.call('PUT', one, { body: { email: 'no' } })).status).toBe(400);
    });

    test('PUT | each of the fields is optional | 200 the updated Patient', async () => {
      const created = await api.ok('POST', path, { clinicId });
      const one = `${path}/${created._id}`;
      let expected = created;
      const changes = { _id: created._id, clinicId: api.practice.clinicIds[0], ...patient };
      for (const [field, value] of Object.entries(changes)) {
        expected = { ...expected, [field]: value, lastEditTime: dateTime };
        expect(await api.ok('PUT', one, { [field]: value })).toEqual(expected);
      }
      expect(await api.ok('PUT', one, { lastEditTime: created.lastEditTime })).toEqual(expected);
      expect(await api.ok('PUT', one, {})).toEqual(expected);
    });

    test('DELETE | 200 the deleted Patient', async () => {
      const created = await api.ok('POST', path, { clinicId, name: 'Cleo' });
      const deleted = await api.ok('DELETE', `${path}/${created._id}`);
      expect(deleted).toEqual({ ...created, lastEditTime: dateTime });
      expect((await api.call('GET', `${path}/${created._id}`)).status).toBe(404);
    });
  });
});
