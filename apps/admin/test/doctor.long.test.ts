import {
  createPractice,
  environmentOf,
  openTestStore,
  startCli,
  startDatabaseProxy,
  testEngines,
} from '@chairside/test-support';
import { expect, onTestFinished, test } from 'vitest';
import { adminOf } from './admin.ts';

/** A practice whose database a test can make hang. */
const openPractice = async () => {
  const proxy = await startDatabaseProxy(testEngines().mongodbUrl);
  const store = await openTestStore(proxy.url);
  const practice = await createPractice(store.store);
  onTestFinished(async () => {
    await store.close();
    await proxy.close();
  });
  return { proxy, store, practice };
};

test('lists the organizations whose data keys are lost, by their ids', async () => {
  const { store, practice } = await openPractice();
  const other = await createPractice(store.store);
  for (const { organizationId } of [practice, other]) await store.store.ciphers.of(organizationId);
  const keys = store.database.collection<{ _id: string; organizationId: string }>('dataKeys');
  const examine = async () => {
    const { json } = await adminOf(store).run(['doctor']);
    return json.verdicts.find(({ check }: { check: string }) => check === 'data keys');
  };
  // On a busy machine, a check may have no result in time.
  await expect.poll(examine).toEqual({
    check: 'data keys',
    ok: true,
    finding: 'no organization lacks its keys',
  });
  await keys.deleteMany({ organizationId: practice.organizationId });
  await expect.poll(examine).toEqual({
    check: 'data keys',
    ok: false,
    finding: `they are missing or cannot be decrypted for these organizations: ${practice.organizationId}`,
    hint: expect.stringContaining('"Lost data keys"'),
  });
});

test('says that the vault cannot be reached, and names VAULT_URL', async () => {
  const { store } = await openPractice();
  // A proxy that was closed: nothing listens there.
  const gone = await startDatabaseProxy(testEngines().mongodbUrl);
  await gone.close();
  const environment = { ...environmentOf(store), VAULT_URL: gone.url };
  const hintOf = async () => {
    const { json } = await startCli(environment, ['doctor', '--json']).ended;
    return json.verdicts.find(({ check }: { check: string }) => check === 'MongoDB').hint;
  };
  await expect.poll(hintOf).toMatch(/^The vault cannot be reached .* VAULT_URL is correct/);
});

test('prints the results of other checks while one hangs, and then says which one had no result', async () => {
  const { proxy, store } = await openPractice();
  const hung = Promise.withResolvers<void>();
  proxy.inject({
    matches: (name) => name === 'listIndexes',
    fault: { kind: 'delay', until: hung.promise },
  });
  const environment = { ...environmentOf(store), REDIS_URL: testEngines().redisUrl };
  const examine = async () => {
    const { code, stdout } = await startCli(environment, ['doctor']).ended;
    const results = stdout.split('\n').filter((line) => /^[✓✗]/.test(line));
    expect(results.length).toBeGreaterThan(15);
    return { code, failed: results.filter((line) => line.startsWith('✗')), last: results.at(-1) };
  };
  // Whatever hangs is reported last, so the others were not held back. On a busy machine, others may be late, too.
  const late = '✗ indexes: no result within 3.5 s';
  await expect.poll(examine).toEqual({ code: 1, failed: [late], last: late });
  hung.resolve();
});

test.each(['before', 'after'] as const)(
  'ends with a result for each check, if the database hangs %s the connection',
  async (when) => {
    const { proxy, store } = await openPractice();
    const hung = Promise.withResolvers<void>();
    let commands = 0;
    proxy.inject({
      matches: (name) => when === 'before' || (name !== 'hello' && ++commands > 1),
      fault: { kind: 'delay', until: hung.promise },
    });
    const { code, json } = await startCli(environmentOf(store), ['doctor', '--json']).ended;
    hung.resolve();
    const failed = json.verdicts.filter(({ ok }: { ok: boolean }) => !ok);
    expect(failed.length).toBeGreaterThanOrEqual(when === 'before' ? 1 : 12);
    for (const { finding } of failed) expect(finding).toBe('no result within 3.5 s');
    expect(code).toBe(1);
  },
);
