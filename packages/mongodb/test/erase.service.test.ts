import { clock, newId } from '@chairside/domain';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPractice, openTestStore, type TestStore } from '../../test-support/src/index.ts';
import { erasePatient } from '../src/administration/erase.ts';

let testStore: TestStore;
beforeAll(async () => {
  testStore = await openTestStore();
});
afterAll(() => testStore.close());

test('nothing is erased before its audit entry is stored, so a killed erasure leaves one', async () => {
  const { organizationId, clinicIds, store } = await createPractice(testStore.store);
  const record = {
    _id: newId(),
    clinicId: clinicIds[0],
    createdTime: clock.now().toISOString(),
    lastEditTime: clock.now().toISOString(),
  };
  await store.patients.create({ ...record, name: 'Ada' });
  const run = { id: 'run', organizationId, by: 'test' };
  const options = { keepBilling: false, isTrial: false, settleMs: 0 };
  const trail = { add: () => Promise.reject(new Error('killed')) };
  const killed = erasePatient(testStore.database as never, trail as never, run, record._id, options);
  await expect(killed).rejects.toThrow('killed');
  expect(await store.patients.find(record._id)).toBeDefined();

  const { administration } = testStore.store.everyOrganization;
  const report = await administration.erasePatient(run, record._id, options);
  expect(report.records).toEqual({ patient: 1 });
  await administration.erasePatient(run, record._id, options);
  const entries = await testStore.database
    .collection('auditEntries')
    .find({ organizationId, action: 'erased' })
    .sort({ time: 1, _id: 1 })
    .toArray();
  expect(entries.map(({ ids, result }) => [ids, result])).toEqual([
    [[record._id], 'erased'],
    [[record._id], 'nothing to erase'],
  ]);
});

test('a record that is created while the others are audited is audited, too', async () => {
  const { organizationId, clinicIds, store } = await createPractice(testStore.store);
  const base = {
    clinicId: clinicIds[0],
    createdTime: clock.now().toISOString(),
    lastEditTime: clock.now().toISOString(),
  };
  const patient = { _id: newId(), ...base };
  await store.patients.create({ ...patient, name: 'Ada' });
  const createAppointment = async (): Promise<string> => {
    const _id = newId();
    const empty = { procedures: [], reminders: [] };
    await store.appointments.create({ _id, ...base, patientId: patient._id, status: 'SCHEDULED', ...empty });
    return _id;
  };
  const created = [await createAppointment()];
  const audited: string[] = [];
  const trail = {
    async add(_organizationId: string, { ids }: { ids: string[] }) {
      if (audited.length === 0) created.push(await createAppointment());
      audited.push(...ids);
    },
  };
  const options = { keepBilling: false, isTrial: false, settleMs: 0 };
  const run = { id: 'run', organizationId, by: 'test' };
  const report = await erasePatient(testStore.database as never, trail as never, run, patient._id, options);
  expect(report.records).toEqual({ patient: 1, appointment: 2 });
  expect(audited.toSorted()).toEqual([patient._id, ...created].toSorted());
});
