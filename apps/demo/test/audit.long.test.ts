import { startCli, startWholeService, testEngines, type WholeService } from '@chairside/test-support';
import { afterEach, expect, test } from 'vitest';

let service: WholeService;
afterEach(() => service.close());

test('each write leaves one entry, created from its event', async () => {
  service = await startWholeService(testEngines().redisUrl);
  const [clinicId] = service.practice.clinicIds;
  const created = await service.call('POST', '/api/patients', { clinicId });
  const path = `/api/patients/${created.json._id}`;
  const updated = await service.call('PUT', path, { name: 'Ada' });
  const deleted = await service.call('DELETE', path);
  const entries = service.database.collection('auditEntries');
  await expect.poll(() => entries.countDocuments()).toBe(3);
  for (const [action, { requestId, json }] of Object.entries({ created, updated, deleted })) {
    expect(await entries.find({ requestId }).toArray()).toEqual([
      {
        _id: expect.any(String),
        organizationId: service.practice.organizationId,
        time: expect.any(Date),
        action,
        principal: { kind: 'apiKey', id: expect.any(String) },
        kind: 'patient',
        ids: [json._id],
        result: 'ok',
        requestId,
        expireAt: expect.any(Date),
      },
    ]);
  }
});

test('AUDIT_RETENTION_DAYS sets the retention of entries that are written afterwards', async () => {
  service = await startWholeService(testEngines().redisUrl, { environment: { AUDIT_RETENTION_DAYS: '30' } });
  const { database, practice } = service;
  const [clinicId] = practice.clinicIds;
  const entries = database.collection('auditEntries');
  /** The retention in days of the latest entry of each action. */
  const days = async () => {
    const kept = await entries.find({}, { sort: { time: 1 } }).toArray();
    const daysOf = kept.map(({ action, expireAt, time }) => [action, (expireAt - time) / 86_400_000]);
    return Object.fromEntries(daysOf);
  };
  const { json } = await service.call('POST', '/api/patients', { clinicId });
  await service.call('GET', `/api/patients/${json._id}`);
  await service.call('GET', '/api/patients');
  await expect.poll(days).toEqual({ created: 30, read: 30, listed: 30 });

  // Change the setting of the api first, then of the dispatcher, which creates the entries of writes.
  await service.api.end('SIGTERM');
  await service.startApi({ AUDIT_RETENTION_DAYS: '60' });
  await service.call('GET', '/api/patients/missing');
  await service.call('GET', '/api/appointments');
  await service.dispatcher.end('SIGTERM');
  await service.startDispatcher({ AUDIT_RETENTION_DAYS: '90' });
  await service.call('DELETE', `/api/patients/${json._id}`);
  await expect.poll(days).toMatchObject({ created: 30, read: 30, deleted: 90 });
  const listed = await entries.find({ action: 'listed' }, { sort: { time: 1 } }).toArray();
  expect(listed.map(({ kind, expireAt, time }) => [kind, (expireAt - time) / 86_400_000])).toEqual([
    ['patient', 30],
    ['appointment', 60],
  ]);

  // The commands of chairside-admin leave entries too.
  const environment = { MONGODB_URL: service.url, ENCRYPTION_KEYS: service.encryptionKeys };
  const command = ['export', 'payment', '--organization', practice.organizationId];
  await practice.store.payments.create({
    _id: 'payment',
    clinicId,
    patientId: 'p',
    amount: 1,
    currency: 'EUR',
    method: 'CASH',
    status: 'COMPLETED',
    creationTime: new Date().toISOString(),
    lastEditTime: new Date().toISOString(),
  });
  expect((await startCli({ ...environment, AUDIT_RETENTION_DAYS: '7' }, command).ended).code).toBe(0);
  expect(await days()).toMatchObject({ exported: 7 });

  // The database deletes expired entries by a TTL index.
  expect(await entries.indexes()).toContainEqual(
    expect.objectContaining({ key: { expireAt: 1 }, expireAfterSeconds: 0 }),
  );
});
