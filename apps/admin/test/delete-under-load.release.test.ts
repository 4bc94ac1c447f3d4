import {
  collectionsWith,
  createPractice,
  environmentOf,
  startCli,
  startWholeService,
  testEngines,
  type WholeService,
} from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';

const WRITERS = 8;
const EARLIER = 5000;
const CANARY = 'Kanarienvogel';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService(testEngines().redisUrl);
});
afterAll(() => service.close());

test('an organization that is written to is deleted, over a kill of the command, and nothing is left', async () => {
  const { practice } = service;
  const { organizationId } = practice;
  const other = await createPractice(service.store);
  const lastEditTime = new Date().toISOString();
  const [clinicId] = practice.clinicIds;
  for (let index = 0; index < EARLIER; index++)
    await practice.store.patients.create({
      _id: `${organizationId}-${index}`,
      clinicId,
      name: CANARY,
      createdTime: lastEditTime,
      lastEditTime,
    });

  /** Creates patients until the key is refused. */
  const write = async (): Promise<number> => {
    for (let count = 0; ; count++) {
      const { status } = await service.call('POST', '/api/patients', { clinicId, name: CANARY });
      if (status === 401) return count;
      expect([200, 400]).toContain(status);
    }
  };
  const writers = Array.from({ length: WRITERS }, write);
  await service.receiver.until((posts) => posts.length >= 20);

  const args = ['organization', 'delete', organizationId, '--countdown', '0', '--json', '--confirm'];
  const organization = await service.database
    .collection<{ _id: string; name: string }>('organizations')
    .findOne({ _id: organizationId });
  const remove = () => startCli(environmentOf(service), [...args, organization?.name ?? '']);
  const killed = remove();
  const keys = service.database.collection('apiKeys');
  await expect.poll(() => keys.countDocuments({ organizationId })).toBe(0);
  killed.child.kill('SIGKILL');
  await killed.ended;
  expect((await Promise.all(writers)).every((count) => count > 0)).toBe(true);

  const { code, json } = await remove().ended;
  expect({ code, json }).toMatchObject({ code: 0, json: { endedTime: expect.any(String) } });
  // The documents of the keys stay, without the keys. A lane that the dispatcher has opened meanwhile ends by itself.
  const left = ['dataKeys', 'organizationDeletions'];
  await expect.poll(() => collectionsWith(service, organizationId, CANARY)).toEqual(left);
  const dataKeys = service.database.collection('dataKeys');
  expect(await dataKeys.countDocuments({ organizationId, destroyedTime: { $exists: true } })).toBe(2);
  expect(await dataKeys.countDocuments({ organizationId, wrapped: { $exists: true } })).toBe(0);
  expect(json.removed.patients).toBeGreaterThan(EARLIER);
  // The other organization notices nothing, and both processes log no error.
  expect(
    (await service.call('GET', '/api/clinics', undefined, `Token ${other.administrator.token}`)).status,
  ).toBe(200);
  const errors = [...service.api.lines, ...service.dispatcher.lines].filter(({ level }) => level >= 50);
  expect(errors).toEqual([]);
});
