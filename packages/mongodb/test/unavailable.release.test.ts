import './lasting-caches.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ground, openGround } from './every-method.ts';
import { ALL_FAULTS, MAIN_METHODS, problemsWith, SLOW_FAULTS } from './fault-table.ts';

let ground: Ground;
// Each test uses a new database, because some methods read all documents.
beforeEach(async () => {
  ground = await openGround();
});
afterEach(() => ground.close());

test.each(ALL_FAULTS)(
  '%o of a %s: every method reports that the database is unavailable',
  async (fault, topology) => {
    expect(await problemsWith(fault, topology, ground)).toEqual([]);
  },
);

test.each(SLOW_FAULTS)('%o of a %s: unavailable, and a repeated call succeeds', async (fault, topology) => {
  expect(await problemsWith(fault, topology, ground, MAIN_METHODS)).toEqual([]);
});
