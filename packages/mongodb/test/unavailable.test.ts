import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPractice, openTestStore } from '../../test-practice/src/index.ts';
import { everyMethod, type Ground, methodsOf, quickPasswords } from './every-method.ts';
import { MAIN_METHODS, problemsWith, SOME_FAULTS, STEP_DOWN } from './fault-table.ts';

/*
 * Every method of every repository, with the faults of a MongoDB that steps down, stops or is overloaded. The whole table
 * of codes is in unavailable.release.test.ts.
 */

let ground: Ground;
beforeAll(async () => {
  const testStore = await openTestStore(undefined, undefined, quickPasswords);
  ground = { ...testStore, practice: await createPractice(testStore.store) };
});
afterAll(() => ground.close());

test('every method of the store is in the table', () => {
  expect(methodsOf(ground.store).filter((name) => !(name in everyMethod))).toEqual([]);
});

test.each(SOME_FAULTS)(
  '%o of a %s: the database is unavailable, and nothing else',
  async (fault, topology) => {
    expect(await problemsWith(fault, topology, ground)).toEqual([]);
  },
);

test('the code of a member that is not primary any more: the database is away, and the same call works afterwards', async () => {
  expect(await problemsWith(STEP_DOWN, 'replicaSet', ground, MAIN_METHODS)).toEqual([]);
});
