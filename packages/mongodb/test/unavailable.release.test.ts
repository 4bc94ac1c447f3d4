import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPractice, openTestStore } from '../../test-practice/src/index.ts';
import { type Ground, quickPasswords } from './every-method.ts';
import { ALL_FAULTS, MAIN_METHODS, problemsWith, SLOW_FAULTS } from './fault-table.ts';

let ground: Ground;
beforeAll(async () => {
  const testStore = await openTestStore(undefined, undefined, quickPasswords);
  ground = { ...testStore, practice: await createPractice(testStore.store) };
});
afterAll(() => ground.close());

test.each(ALL_FAULTS)(
  '%o of a %s: the database is unavailable, and nothing else',
  async (fault, topology) => {
    expect(await problemsWith(fault, topology, ground)).toEqual([]);
  },
);

test.each(SLOW_FAULTS)('%o of a %s: unavailable, and what is called again works', async (fault, topology) => {
  expect(await problemsWith(fault, topology, ground, MAIN_METHODS)).toEqual([]);
});
