import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ground, openGround } from './every-method.ts';
import { ALL_FAULTS, MAIN_METHODS, problemsWith, SLOW_FAULTS } from './fault-table.ts';

let ground: Ground;
// Anew for each, because some methods read all that there is.
beforeEach(async () => {
  ground = await openGround();
});
afterEach(() => ground.close());

test.each(ALL_FAULTS)(
  '%o of a %s: the database is unavailable, and nothing else',
  async (fault, topology) => {
    expect(await problemsWith(fault, topology, ground)).toEqual([]);
  },
);

test.each(SLOW_FAULTS)('%o of a %s: unavailable, and what is called again works', async (fault, topology) => {
  expect(await problemsWith(fault, topology, ground, MAIN_METHODS)).toEqual([]);
});
