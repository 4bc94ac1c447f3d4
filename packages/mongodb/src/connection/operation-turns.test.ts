import { setImmediate } from 'node:timers/promises';
import type { Db, MongoOptions } from 'mongodb';
import { beforeEach, expect, test } from 'vitest';
import { Database } from '../driver/database.ts';
import { OverloadedError } from '../driver/unavailable.ts';
import { createOperationTurns } from './operation-turns.ts';

/** The organizations whose operations run, and what ends them. */
let running: { organization: string; end: () => void }[];
let results: Promise<unknown>[];
let operate: (organization: string, count: number) => Promise<void>;
beforeEach(() => {
  [running, results] = [[], []];
  const turns = createOperationTurns({ maxPoolSize: 10, waitQueueTimeoutMS: 600_000 } as MongoOptions);
  operate = async (organization, count) => {
    const driver = {
      findOne(): Promise<void> {
        const { promise, resolve: end } = Promise.withResolvers<void>();
        running.push({ organization, end });
        return promise;
      },
    };
    const database = new Database({ collection: () => driver } as unknown as Db);
    const collection = turns.databaseOf(organization, database).collection('any');
    for (let index = 0; index < count; index++)
      results.push(collection.findOne().catch((error: unknown) => error));
    await setImmediate();
  };
});

const runningOf = (name: string): number =>
  running.filter(({ organization }) => organization === name).length;
const endAll = async (): Promise<unknown[]> => {
  while (running.length > 0) {
    for (const { end } of running.splice(0)) end();
    await setImmediate();
  }
  return Promise.all(results);
};

test('with ten connections, four operations of an organization and eight in all run at once', async () => {
  await operate('greedy', 20);
  expect(runningOf('greedy')).toBe(4);
  await operate('other', 4);
  await operate('neighbour', 1);
  expect(running).toHaveLength(8);
  // One turn each for the greedy organization and the neighbour.
  for (const { end } of running.splice(0, 2)) end();
  await setImmediate();
  expect(runningOf('neighbour')).toBe(1);
  await endAll();
});

test('refuses an operation of the organization with the most waiting when 2,000 wait', async () => {
  await operate('greedy', 4 + 2000 + 1);
  await operate('neighbour', 1);
  expect(runningOf('neighbour')).toBe(1);
  const errors = (await endAll()).filter((result) => result !== undefined);
  expect(errors).toEqual([expect.any(OverloadedError)]);
});
