import { once } from 'node:events';
import type { Readable } from 'node:stream';
import {
  apiAddress,
  basic,
  callApi,
  createPractice,
  environmentOf,
  openTestStore,
  type Practice,
  startApi,
  startCli,
  type TestStore,
  testEngines,
} from '@chairside/test-support';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { adminOf } from './admin.ts';

let testStore: TestStore;
let practice: Practice;
let other: Practice;
let cli: ReturnType<typeof adminOf>;
let name: string;

const remove = (...args: string[]) =>
  cli.run(['organization', 'delete', practice.organizationId, '--countdown', '0', ...args]);

beforeAll(async () => {
  testStore = await openTestStore();
  [practice, other] = [await createPractice(testStore.store), await createPractice(testStore.store)];
  cli = adminOf(testStore);
  name = (await remove('--dry-run')).json.name;
});
afterAll(() => testStore.close());

test('deletes nothing with --dry-run, without --confirm, and with another name', async () => {
  const trial = await remove('--dry-run');
  expect(trial.code).toBe(0);
  expect(trial.json).toMatchObject({ dryRun: true, removed: { clinics: 2, apiKeys: expect.any(Number) } });
  const [without, wrong] = [await remove(), await remove('--confirm', 'Another practice')];
  expect([without.code, wrong.code]).toEqual([2, 2]);
  expect(JSON.parse(without.stderr).error.message).toContain(`--confirm ${JSON.stringify(name)}`);
  expect(wrong.stderr).toContain('--confirm does not match');
  expect((await remove('--countdown', 'soon', '--dry-run')).code).toBe(2);
  expect((await remove('--dry-run')).json).toEqual(trial.json);
});

test('knows no other organization', async () => {
  const { code, stderr } = await cli.run(['organization', 'delete', 'nobody', '--dry-run']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('There is no organization nobody')]);
});

test('counts down, and is ended by Ctrl-C before anything is deleted', async () => {
  const args = ['organization', 'delete', practice.organizationId, '--confirm', name, '--countdown', '60'];
  const { child, ended } = startCli(environmentOf(testStore), args);
  const [first] = await once(child.stderr as Readable, 'data');
  expect(String(first)).toContain('in 60 s. Ctrl-C keeps everything.');
  child.kill('SIGINT');
  await ended;
  expect((await remove('--dry-run')).json.removed).toMatchObject({ clinics: 2 });
});

test('deletes while the api runs: its key ends, others keep theirs, and the certificate is kept', async () => {
  const api = startApi({
    ...environmentOf(testStore),
    REDIS_URL: testEngines().redisUrl,
    REDIS_PREFIX: testStore.redisPrefix,
  });
  onTestFinished(() => void api.end('SIGKILL'));
  const address = await apiAddress(api);
  const list = async ({ apiKey }: Practice) =>
    (await callApi(address, 'GET', '/api/clinics', { authorization: basic(apiKey) })).status;
  expect(await list(practice)).toBe(200);

  const { code, json: certificate } = await remove('--confirm', name);
  expect(code).toBe(0);
  expect(certificate).toMatchObject({
    organizationId: practice.organizationId,
    name,
    endedTime: expect.any(String),
    version: expect.any(String),
    removed: { clinics: 2, apiKeys: expect.any(Number) },
  });
  expect([await list(practice), await list(other)]).toEqual([401, 200]);

  const deletions = await cli.run(['organization', 'deletions']);
  expect(deletions.json).toMatchObject({ organizationId: practice.organizationId });
  expect((await cli.run(['organization', 'list'])).stdout).not.toContain(practice.organizationId);
});
