import './lasting-caches.ts';
import { newEvent, newId } from '@chairside/domain';
import type { Document } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDatabaseProxy } from '../../test-support/src/index.ts';
import { withStoredBody } from '../src/events/event-document.ts';
import { openWholeStore } from '../src/stores/whole-store.ts';
import { everyMethod, type Ground, methodsOf, openGround } from './every-method.ts';
import { MAIN_METHODS, NO_MAJORITY, problemsWith, SOME_FAULTS, STEP_DOWN } from './fault-table.ts';

/*
 * Calls every method of every repository with the fault of an overloaded MongoDB, and the main methods with the faults
 * of a missing majority and of a step-down. unavailable.release.test.ts tests the whole table of codes.
 */

let ground: Ground;
beforeAll(async () => {
  ground = await openGround();
});
afterAll(() => ground.close());

test('every method of the store is in the table', () => {
  expect(methodsOf(ground.store).filter((name) => !(name in everyMethod))).toEqual([]);
});

test.each(SOME_FAULTS)(
  '%o of a %s: every method reports that the database is unavailable',
  async (fault, topology) => {
    expect(await problemsWith(fault, topology, ground)).toEqual([]);
  },
);

test('an event without a majority is not in the log, and an event that reaches the majority late is', async () => {
  const proxy = await startDatabaseProxy(ground.url);
  const concerns: unknown[] = [];
  const store = openWholeStore({
    url: proxy.url,
    encryptionKeys: ground.encryptionKeys,
    appName: 'test',
    onCommand: (name, { find, readConcern }) => {
      if (name === 'find' && find === 'events') concerns.push(readConcern?.level);
    },
  });
  const { organizationId } = ground.practice;
  const author = { principal: { kind: 'system' as const, id: 'test' }, requestId: 'test' };
  const event = withStoredBody(
    {
      ...newEvent({ _id: newId(), event: 'patient.created', time: new Date(), author }, { clinicId: 'c' }),
      organizationId,
      kind: 'patient' as const,
      recordId: newId(),
    },
    await store.ciphers.of(organizationId),
  );
  proxy.inject({
    matches: (name, { update }) => name === 'update' && update === 'events',
    fault: { kind: 'writeConcernError', code: 50 },
  });
  await store.everyOrganization.events.enter([event]);
  const change = (response: Document) => ({
    ...response,
    cursor: { ...response.cursor, firstBatch: [] },
  });
  proxy.inject({
    matches: (name, { find }) => name === 'find' && find === 'events',
    fault: { kind: 'response', change },
  });
  await expect(store.everyOrganization.events.enter([event])).rejects.toMatchObject({ code: 50 });
  expect(concerns).toEqual(['majority', 'majority']);
  await store.close();
  await proxy.close();
});

test('a write without a majority means that the database is unavailable', async () => {
  expect(await problemsWith(NO_MAJORITY, 'replicaSet', ground, MAIN_METHODS)).toEqual([]);
});

test('the code of a member that is no longer primary means that the database is unreachable, and the same call succeeds afterwards', async () => {
  expect(await problemsWith(STEP_DOWN, 'replicaSet', ground, MAIN_METHODS)).toEqual([]);
});
