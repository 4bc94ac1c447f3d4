import { newId, type Patient, patientSearch } from '@chairside/domain';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createPractice,
  openTestStore,
  type Practice,
  type TestStore,
} from '../../test-support/src/index.ts';
import { randomFrom } from './interleavings.ts';
import { randomPatients, randomQuery } from './search-cases.ts';

/*
 * Many searches compared with a scan of all decrypted patients. patient-search.long.test.ts has fewer of them.
 */

const CASES = 20_000;
const PATIENTS = 2000;
const AT_ONCE = 8;

let testStore: TestStore;
let practice: Practice;
beforeAll(async () => {
  testStore = await openTestStore();
  practice = await createPractice(testStore.store);
});
afterAll(() => testStore.close());

test('20,000 searches for random names and numbers of many scripts find what a scan finds', async () => {
  const random = randomFrom(20_000);
  const patients = randomPatients(random, PATIENTS, () => ({
    ...{
      _id: newId(),
      clinicId: practice.clinicIds[0],
      createdTime: new Date().toISOString(),
      lastEditTime: new Date().toISOString(),
    },
  }));
  await Promise.all(patients.map((patient) => practice.store.patients.create(patient)));
  const stored: Patient[] = await Array.fromAsync(practice.store.patients.list({}));
  expect(stored).toHaveLength(PATIENTS);

  const different: object[] = [];
  let hits = 0;
  const queries = Array.from({ length: CASES }, () => randomQuery(random, patients));
  const search = async (): Promise<void> => {
    for (let query = queries.pop(); query !== undefined; query = queries.pop()) {
      const page = { limit: PATIENTS, examiningMs: Number.POSITIVE_INFINITY };
      const { rows } = practice.store.patients.page(query, page, ['_id']);
      const found = (await Array.fromAsync(rows)).map(({ record }) => record._id);
      const wanted = patientSearch(query);
      const scanned = stored.filter((patient) => wanted?.finds(patient)).map(({ _id }) => _id);
      hits += scanned.length;
      if (JSON.stringify(found) !== JSON.stringify(scanned)) different.push({ query, found, scanned });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, search));
  expect(different.slice(0, 3)).toEqual([]);
  expect(hits).toBeGreaterThan(CASES);
});
