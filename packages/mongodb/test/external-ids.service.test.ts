import { newId } from '@chairside/domain';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createPractice,
  openTestStore,
  type Practice,
  type TestStore,
} from '../../test-support/src/index.ts';
import { ExternalIdTakenError } from '../src/records/records.ts';
import { openWholeStore, type WholeStore } from '../src/stores/whole-store.ts';

const COUNT = 100;

let testStore: TestStore;
let practice: Practice;
let stores: WholeStore[];
beforeAll(async () => {
  testStore = await openTestStore();
  practice = await createPractice(testStore.store);
  const { url, encryptionKeys } = testStore;
  stores = Array.from({ length: 3 }, () => openWholeStore({ url, encryptionKeys, appName: 'test' }));
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await testStore.close();
});

/** The same entries in another order for each place. */
const rotated = <T>(entries: readonly T[], place: number): T[] => {
  const from = Math.floor((entries.length * place) / 3);
  const turned = [...entries.slice(from), ...entries.slice(0, from)];
  return place === 1 ? turned.reverse() : turned;
};

test('processes that create the same external ids in different orders make each record once', async () => {
  const externalIds = Array.from({ length: COUNT }, (_, index) => `pms:${index}`);
  const time = new Date().toISOString();
  const create = async (store: WholeStore, externalId: string): Promise<string> => {
    const own = { _id: newId(), clinicId: practice.clinicIds[0], externalId };
    const record = { ...own, createdTime: time, lastEditTime: time };
    try {
      return await store.organization(practice.organizationId).patients.create(record);
    } catch (error) {
      if (error instanceof ExternalIdTakenError) return 'taken';
      throw error;
    }
  };
  const outcomes = await Promise.all(
    stores.flatMap((store, place) => rotated(externalIds, place).map((each) => create(store, each))),
  );
  expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(COUNT);
  expect(outcomes.filter((outcome) => outcome === 'taken')).toHaveLength(2 * COUNT);
});

test('imports of the same lines in different orders all end, and make each record once', async () => {
  const lines = Array.from({ length: COUNT }, (_, index) => ({
    number: index + 1,
    line: { externalId: `import:${index}`, fields: { clinicId: practice.clinicIds[0] } },
  }));
  const { organizationId } = practice;
  const results = await Promise.all(
    stores.map(({ everyOrganization: { administration } }, place) =>
      administration
        .importer({ id: `run ${place}`, organizationId, by: 'test' })
        .write('patient', rotated(lines, place), 'changes'),
    ),
  );
  expect(results.flatMap(({ refused }) => refused)).toEqual([]);
  const { patients } = practice.store;
  expect((await patients.idsOf(lines.map(({ line }) => line.externalId))).size).toBe(COUNT);
});
