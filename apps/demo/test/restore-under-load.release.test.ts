import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMongodb } from '@chairside/local-services';
import {
  basic,
  createKey,
  environmentOf,
  openEmptyDatabase,
  startCli,
  startWholeService,
  testEngines,
} from '@chairside/test-support';
import { expect, onTestFinished, test } from 'vitest';

/** How many records are written before the copy is taken, and how many in the whole first life. */
const [BEFORE, IN_ALL] = [300, 800];
const WRITERS = 4;
/** Copies a folder with the owners of its files, and links as they are. */
const copyFolder = (from: string, to: string): void => void execFileSync('cp', ['-a', from, to]);

test('a copy that was taken under load is restored and sealed: nothing is sent twice, and nothing that ended is back', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chairside-restore-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  const mongodb = await startMongodb({ dataDirectory: data });
  onTestFinished(() => mongodb.stop());
  const vault = openEmptyDatabase();
  onTestFinished(() => vault.close());
  const service = await startWholeService(testEngines().redisUrl, {
    mongodbUrl: mongodb.url,
    environment: { VAULT_URL: vault.url },
  });
  onTestFinished(() => service.close());
  const { practice, receiver, subscription, database } = service;
  const [clinicId] = practice.clinicIds;

  const admin = async (...command: string[]): Promise<void> => {
    const environment = { ...environmentOf(service), VAULT_URL: vault.url };
    const { code, stderr } = await startCli(environment, command).ended;
    expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' });
  };
  const get = async (path: string, as?: string) => (await service.call('GET', path, undefined, as)).status;
  const deliveries = () => database.collection('deliveries');
  /** Writes patients until there are so many that the api has confirmed. */
  const write = async (ids: string[], count: number): Promise<void> => {
    const writeOne = async (): Promise<void> => {
      while (ids.length < count) {
        // While the database is away, writes are refused, or have no response.
        const response = await service
          .call('POST', '/api/patients', { clinicId, name: 'Ada' })
          .catch(() => {});
        if (response?.status === 200) ids.push(response.json._id);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, writeOne));
  };
  const isDrained = () =>
    expect.poll(() => deliveries().countDocuments({ status: { $in: ['queued', 'sending'] } })).toBe(0);

  // The first life. In its midst, a copy is taken as of a crashed machine.
  const key = await createKey(
    practice.store,
    { name: 'ended', scopes: ['patients:read'], rateLimit: 1000 },
    new Date(),
  );
  const written: string[] = [];
  const writing = write(written, IN_ALL);
  await expect.poll(() => written.length).toBeGreaterThan(BEFORE);
  await mongodb.kill();
  copyFolder(data, copy);
  await mongodb.resume();
  await writing;
  const [erased = ''] = written;
  await admin('apikey', 'revoke', key._id);
  await admin('patient', 'erase', erased, '--organization', practice.organizationId);
  await expect.poll(() => database.collection('endings').countDocuments()).toBe(0);
  await isDrained();
  const interrupted = new Set(
    (await deliveries().find({ status: 'interrupted' }).toArray()).map(({ eventId }) => eventId as string),
  );
  await service.dispatcher.end('SIGTERM');
  await service.api.end('SIGTERM');
  const inFirstLife = receiver.posts.length;

  // The second life.
  await mongodb.halt();
  await rm(data, { recursive: true });
  copyFolder(copy, data);
  await mongodb.resume();
  await service.startApi();
  await service.startDispatcher();
  await service.dispatcher.logged(({ msg }) => msg.startsWith('This database was restored from a backup.'));
  await admin('restore', 'seal');
  await admin('outbound', 'discard');
  expect(await service.dispatcher.exited).toBe(1);
  await service.startDispatcher();
  const later: string[] = [];
  await write(later, 50);
  await receiver.until((posts) => later.every((id) => posts.some(({ json }) => json.data._id === id)));
  await isDrained();

  const events = receiver.posts.map(({ json }) => json.id as string);
  expect(events.length).toBe(new Set(events).size);
  const records = receiver.posts.map(({ json }) => json.data._id as string);
  // After the restore, nothing is sent but what is written then.
  expect(records.slice(inFirstLife).toSorted()).toEqual(later.toSorted());
  const missing = written.filter((id) => !records.includes(id));
  expect(missing.length).toBeLessThanOrEqual(interrupted.size);
  expect(await get(`/api/patients/${written[0]}`, basic(key.secret))).toBe(401);
  expect(await get(`/api/patients/${erased}`)).toBe(404);
  expect(await get('/api/sessions/current', `Token ${practice.administrator.token}`)).toBe(401);
  expect(await get(`/api/webhooksubscriptions/${subscription._id}`, `Token ${practice.staff.token}`)).toBe(
    401,
  );
});
