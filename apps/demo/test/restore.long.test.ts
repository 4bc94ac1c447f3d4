import {
  basic,
  createKey,
  type EmptyDatabase,
  environmentOf,
  openEmptyDatabase,
  startCli,
  startWholeService,
  takeBackup,
  testEngines,
  type WholeService,
} from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';

/*
 * A backup is taken while events wait, what it contains ends, and it is restored, as docs/operation/backup.md says. The receiver
 * must get nothing twice, and nothing that has ended may work again.
 */

let vault: EmptyDatabase;
let service: WholeService;
beforeAll(async () => {
  vault = openEmptyDatabase();
  service = await startWholeService(testEngines().redisUrl, { environment: { VAULT_URL: vault.url } });
});
afterAll(async () => {
  await service.close();
  await vault.close();
});

const admin = async (...command: string[]) => {
  const environment = { ...environmentOf(service), VAULT_URL: vault.url };
  const { code, stdout, stderr } = await startCli(environment, command).ended;
  return { code, stdout, stderr };
};
const done = async (...command: string[]): Promise<string> => {
  const { code, stdout, stderr } = await admin(...command);
  expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' });
  return stdout;
};
const createPatient = async (name: string): Promise<string> => {
  const [clinicId] = service.practice.clinicIds;
  const { status, json } = await service.call('POST', '/api/patients', { clinicId, name });
  expect(status).toBe(200);
  return json._id;
};
const createPatients = async (count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push(await createPatient(`Patient ${index}`));
  return ids;
};
/** The ids of the received patients, in order. */
const received = () => service.receiver.posts.map(({ json }) => json.data._id as string);
const arrived = (ids: readonly string[]) =>
  service.receiver.until(() => ids.every((id) => received().includes(id)));

/** What is ended is in the vault seconds later, and with it a number that the backup does not have. */
const untilToldToVault = () =>
  expect.poll(() => service.database.collection('endings').countDocuments()).toBe(0);

test('a restored database sends nothing twice, and revives nothing, once it is sealed', async () => {
  const { store, administrator, organizationId } = service.practice;
  const key = await createKey(
    store,
    { name: 'ended', scopes: ['patients:read'], rateLimit: 1000 },
    new Date(),
  );
  const [erased = '', ...kept] = await createPatients(5);
  await arrived([erased, ...kept]);
  expect((await service.call('GET', `/api/patients/${erased}`, undefined, basic(key.secret))).status).toBe(
    200,
  );

  // In the backup, these events wait. They are sent after it.
  await service.dispatcher.end('SIGTERM');
  const waiting = await createPatients(5);
  const restore = await takeBackup(service.database);
  await service.startDispatcher();
  await arrived(waiting);
  await done('apikey', 'revoke', key._id, '--reason', 'published');
  await done('patient', 'erase', erased, '--organization', organizationId);
  await untilToldToVault();
  await service.dispatcher.end('SIGTERM');
  await service.api.end('SIGTERM');

  await restore();
  await service.startApi();
  await service.startDispatcher();
  await service.dispatcher.logged(({ msg }) => msg.startsWith('This database was restored from a backup.'));
  const doctor = await admin('doctor');
  expect(doctor.stdout).toContain('this database was restored from a backup');
  expect(doctor.code).toBe(1);
  expect(await admin('outbound', 'release')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('First run restore seal'),
  });
  const trial = await done('restore', 'seal', '--dry-run');
  for (const text of [`API key ${key._id}`, `erased patient ${erased}`]) expect(trial).toContain(text);
  await done('restore', 'seal', '--reason', 'disk lost');
  await done('outbound', 'discard');
  // The dispatcher ends itself with an error, so that what runs it starts it again. It sends again then.
  expect(await service.dispatcher.exited).toBe(1);
  await service.startDispatcher();
  const later = await createPatients(3);
  await arrived(later);

  const all = received();
  expect(new Set(all).size).toBe(all.length);
  expect(all.toSorted()).toEqual([erased, ...kept, ...waiting, ...later].toSorted());
  expect((await service.call('GET', `/api/patients/${kept[0]}`, undefined, basic(key.secret))).status).toBe(
    401,
  );
  expect((await service.call('GET', `/api/patients/${erased}`)).status).toBe(404);
  const session = `Token ${administrator.token}`;
  expect((await service.call('GET', '/api/sessions/current', undefined, session)).status).toBe(401);
  const outcomes = await service.database
    .collection('deliveries')
    .distinct('cause', { status: 'skipped', organizationId });
  expect(outcomes).toEqual(['outbound_off']);
});

test('a database that goes back under a running dispatcher is noticed; nothing leaves until restore none', async () => {
  const restore = await takeBackup(service.database);
  await service.database.collection('sequence').updateOne({}, { $set: { time: new Date(0) } });
  await expect
    .poll(async () => (await service.database.collection('sequence').findOne({}))?.time.getTime())
    .toBeGreaterThan(0);
  await restore();
  expect(await service.dispatcher.exited).toBe(1);
  await service.startDispatcher();
  const held = await createPatients(2);
  const stored = () =>
    service.database
      .collection('deliveries')
      .countDocuments({ status: 'queued', subscriptionId: service.subscription._id });
  await expect.poll(stored).toBe(2);
  expect(received()).not.toEqual(expect.arrayContaining(held));
  await done('restore', 'none');
  expect(await service.dispatcher.exited).toBe(1);
  await service.startDispatcher();
  await arrived(held);
});

test('after a kill and a long pause, everything is sent, and nothing held', async () => {
  await service.dispatcher.end('SIGKILL');
  const queued = await createPatients(20);
  // Three days without a dispatcher.
  const time = new Date(Date.now() - 3 * 86_400_000);
  await service.database.collection('sequence').updateOne({}, { $set: { time } });
  await vault.database.collection('sequence').updateOne({}, { $set: { time } });
  await service.startDispatcher();
  await arrived(queued);
});
