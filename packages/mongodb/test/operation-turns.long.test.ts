import { newId } from '@chairside/domain';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DatabaseProxy, startDatabaseProxy } from '../../test-support/src/index.ts';
import { unavailabilityOf } from '../src/driver/unavailable.ts';
import { openWholeStore, type WholeStore } from '../src/stores/whole-store.ts';
import { everyMethod, type Ground, methodsOf, openGround } from './every-method.ts';

/** The operations of one organization that run at once, with ten connections. */
const OF_ORGANIZATION = 4;

let ground: Ground;
let proxy: DatabaseProxy;
let store: WholeStore;
beforeAll(async () => {
  ground = await openGround();
  proxy = await startDatabaseProxy(ground.url);
  store = openWholeStore({
    url: proxy.url,
    encryptionKeys: ground.encryptionKeys,
    appName: 'test',
    maxOperations: 10,
    // Operations without a turn must end within this time on a busy machine, too.
    patience: { waitMs: 5000 },
  });
  await store.connect();
});
afterAll(async () => {
  await store.close();
  await proxy.close();
  await ground.close();
});

/**
 * Takes all turns of an organization, with operations that the database does not finish.
 *
 * @returns a function that lets the database finish them
 */
const takeTurns = (organizationId: string): (() => Promise<void>) => {
  const ended = Promise.withResolvers<void>();
  const slow = Array.from({ length: OF_ORGANIZATION }, () => newId());
  const remove = proxy.inject({
    matches: (_name, { filter }) => slow.includes(filter?._id),
    fault: { kind: 'delay', until: ended.promise },
  });
  const operations = slow.map((id) => store.organization(organizationId).payments.find(id));
  return async () => {
    ended.resolve();
    await Promise.all(operations);
    expect(remove()).toBe(OF_ORGANIZATION);
  };
};

test('the operations of an organization beyond its turns wait, then are refused; those of another are made', async () => {
  const { organizationId } = ground.practice;
  const release = takeTurns(organizationId);
  const { patients } = store.organization(organizationId);
  const waiting = Array.from({ length: 20 }, () =>
    patients.find(newId()).catch((error: unknown) => unavailabilityOf(error)),
  );
  expect(store.operations.waiting()).toBe(20);
  expect(await store.organization(newId()).patients.find(newId())).toBeUndefined();
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['overloaded']));
  const late = patients.find(newId());
  expect(store.operations.waiting()).toBe(1);
  await release();
  expect(await late).toBeUndefined();
});

/** The methods of organizations that make operations without a turn. */
const WITHOUT_TURN: Record<string, string> = {
  'audit.add': 'shares its statement with other organizations',
  'audit.addOnce': 'stores one small entry',
  'audit.begin': 'shares its statement with other organizations',
  'factorRequirement.get': 'reads one small document, at most once a second',
  'factorRequirement.set': 'changes one small document',
  'patients.create': 'shares its statement with other organizations',
  'patients.list': 'streams over connections of its own',
  'providers.list': 'streams over connections of its own',
};

test('every method of an organization waits for its turn', async () => {
  const names = Object.keys(store.organization(newId())).map((name) => `${name}.`);
  const own = methodsOf(ground.store).filter((name) => names.some((start) => name.startsWith(start)));
  const calls = [];
  for (const name of own) calls.push({ name, call: await everyMethod[name]?.(ground) });
  const release = takeTurns(ground.practice.organizationId);
  const made = await Promise.all(
    calls.map(async ({ name, call }) => {
      try {
        await call?.(store);
        return [name];
      } catch (error) {
        if (unavailabilityOf(error) !== 'overloaded') throw error;
        return [];
      }
    }),
  );
  await release();
  expect(made.flat().sort()).toEqual(Object.keys(WITHOUT_TURN).sort());
});
