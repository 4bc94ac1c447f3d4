import { randomBytes } from 'node:crypto';
import { newId } from '@chairside/domain';
import type { Db, Document } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createPractice,
  openTestStore,
  type Practice,
  type TestStore,
} from '../../test-support/src/index.ts';
import type { ConnectionDocument } from '../src/access/connection-document.ts';
import { OPERATOR_ACCESS } from '../src/access/operator-view.ts';
import { databaseRoles } from '../src/preparation/database-roles.ts';
import { type OAuthStore, openOAuthStore } from '../src/stores/oauth-store.ts';
import { explain } from './explain.ts';
import { neededRole, type SentCommand, sorted } from './role-use.ts';

const ROWS = 5000;
const KEY = `a:${randomBytes(32).toString('base64')}`;
const now = new Date();
const after = (milliseconds: number) => new Date(now.getTime() + milliseconds);

let testStore: TestStore;
let practice: Practice;
let oauth: OAuthStore;
const sent: SentCommand[] = [];

const onProblem = (problem: unknown): never => {
  throw problem;
};
const open = (keys: string) =>
  openOAuthStore({
    url: testStore.url,
    appName: 'test',
    keys,
    auditRetentionDays: 1,
    registration: { service: 'dashboard', onUnreadable: onProblem, onFailed: onProblem, onSkew: onProblem },
    onCommand: (name, command) => sent.push({ name, command }),
  });

beforeAll(async () => {
  testStore = await openTestStore();
  practice = await createPractice(testStore.store);
  // With few rows, reading all of them would be the best plan.
  for (const name of ['connections', 'oauthState', 'oauthClients', 'oauthLimits', 'operators'] as const) {
    const rows = Array.from({ length: ROWS }, (_, index) => ({
      _id: `${name}-${index}`,
      organizationId: `organization-${index % 50}`,
      emailLowerCase: `${index}@example.com`,
      grantId: `grant-${index}`,
      kind: 'AccessToken',
      payload: '',
      expireAt: after(3_600_000),
    }));
    await testStore.database.collection(name).insertMany(rows);
  }
  oauth = open(KEY);
});
afterAll(async () => {
  await oauth.close();
  await testStore.close();
});

const connectionOf = (grantId: string): ConnectionDocument => ({
  _id: grantId,
  organizationId: practice.organizationId,
  operatorId: practice.administrator._id,
  accessRevision: 0,
  clientId: 'client',
  clientName: 'App',
  redirectHost: 'app.example',
  createdTime: now,
  expireAt: after(60_000),
});
const registered = { createdTime: now, expireAt: after(60_000), network: '203.0.113.1' };
const tokenOf = (grantId: string) => ({ grantId, expireAt: after(60_000) });

/** Calls every method of the store. */
const useAll = async (): Promise<void> => {
  const dashboard = open(KEY);
  dashboard.register();
  await dashboard.close();
  const { state, clients, limits, grants, trail, ping } = oauth;
  await ping();
  await grants.findOperator(practice.administrator._id);
  await grants.create(connectionOf('all'), now);
  await grants.keep('all', after(120_000));
  const standing = await grants.standing('all', now);
  if (standing.state !== 'live') throw new Error(standing.state);
  await grants.use(standing.connection, now);
  await state.save('Grant', 'all', { jti: 'all' }, tokenOf('all'));
  await state.keep('Grant', 'all', after(120_000));
  await state.find('Grant', 'all', now);
  await state.consume('Grant', 'all', now);
  await state.release('Grant', 'all');
  await state.grantOf('Grant', 'all');
  await state.remove('Grant', 'all');
  await state.removeGrant('all');
  await grants.find('all');
  await grants.end('all');
  await grants.hasClient('client', now);
  await grants.askedBy('client', practice.organizationId);
  await clients.save('app', {}, registered);
  await clients.makeRoom(1);
  await clients.keep('app', after(120_000));
  await clients.find('app', now);
  await clients.remove('app');
  await limits.count({ name: 'x', most: 1, seconds: 60 }, 'caller', now);
  const principal = { kind: 'operator', id: practice.administrator._id } as const;
  const entry = { action: 'granted', kind: 'connection', ids: ['all'], result: 'ok', principal } as const;
  await trail.add(practice.organizationId, { ...entry, ids: ['all'], requestId: newId(now) });
  await trail.addUnique(practice.organizationId, 'ended', { ...entry, ids: ['all'], requestId: newId(now) });
};

test('sends exactly what the role allows, and every query uses an index', async () => {
  sent.length = 0;
  await useAll();
  // Without views, the store reads the collection below.
  expect(neededRole(sent, { operators: OPERATOR_ACCESS.name })).toEqual(
    sorted(databaseRoles.chairsideAuthorization),
  );
  const queries = sent.flatMap(({ name, command }): Document[] => {
    if (name === 'find') return [command];
    const filters = [...(command.updates ?? []), ...(command.deletes ?? [])].map(({ q }: Document) => q);
    if (command.query !== undefined) filters.push(command.query);
    return filters.map((filter) => ({ find: command[name], filter }));
  });
  expect(queries.length).toBeGreaterThan(15);
  for (const query of queries) {
    // There is only one organization, so reading the whole collection is the best plan.
    if (query.find === 'organizations') continue;
    const { scansAll } = await explain(testStore.database as Db, query);
    expect({ query, scansAll }).toEqual({ query, scansAll: false });
  }
});

test('only one of 20 concurrent callers consumes a token, and only one of 20 registrations is counted as the first', async () => {
  const { state, limits } = oauth;
  await state.save('RefreshToken', 'raced', { a: 1 }, tokenOf('raced'));
  const consumed = await Promise.all(
    Array.from({ length: 20 }, () => state.consume('RefreshToken', 'raced', now)),
  );
  expect(consumed.filter(Boolean)).toHaveLength(1);
  expect(await state.consume('RefreshToken', 'missing', now)).toBe(false);
  expect(await state.find('RefreshToken', 'raced', now)).toEqual({
    payload: { a: 1, jti: 'raced' },
    consumedTime: now,
  });
  await state.release('RefreshToken', 'raced');
  expect(await state.consume('RefreshToken', 'raced', now)).toBe(true);
  const limit = { name: 'raced', most: 5, seconds: 60 };
  const waits = await Promise.all(Array.from({ length: 20 }, () => limits.count(limit, 'caller', now)));
  expect(waits.filter((wait) => wait === undefined)).toHaveLength(5);
  for (const wait of waits) if (wait !== undefined) expect([wait > 0, wait <= 60]).toEqual([true, true]);
  expect(await limits.count(limit, 'another', now)).toBeUndefined();
  expect(await limits.count(limit, 'caller', after(60_000))).toBeUndefined();
});

test('stores values as hashes and encrypts content, and keeps used objects readable when a key is replaced', async () => {
  const content = { jti: 'the value', session: { cookie: 'the cookie' } };
  await oauth.state.save('Interaction', 'the value', content, { expireAt: after(60_000) });
  await oauth.clients.save('id', { client_secret: 'the secret' }, registered);
  const { database } = testStore;
  const names = ['oauthState', 'oauthClients'];
  const all = await Promise.all(
    names.map((name) =>
      database
        .collection(name)
        .find({ payload: { $ne: '' } } as object)
        .toArray(),
    ),
  );
  expect(JSON.stringify(all)).not.toMatch(/the (value|cookie|secret)/);
  expect(await oauth.state.find('Interaction', 'the value', now)).toMatchObject({ payload: content });
  expect(await oauth.state.find('AccessToken', 'the value', now)).toBeUndefined();
  expect(await oauth.state.find('Interaction', 'the value', after(60_000))).toBeUndefined();
  expect(await oauth.clients.find('id', after(60_000))).toBeUndefined();
  const other = `b:${randomBytes(32).toString('base64')}`;
  const [rotated, replaced] = [open(`${other},${KEY}`), open(other)];
  expect(await replaced.clients.find('id', now)).toBeUndefined();
  expect(await replaced.state.find('Interaction', 'the value', now)).toBeUndefined();
  // An object that is used while both keys are configured is encrypted with the new key, so it can be read without the
  // old key.
  for (const store of [rotated, replaced]) {
    expect(await store.clients.find('id', now)).toEqual({ client_secret: 'the secret' });
    expect(await store.state.find('Interaction', 'the value', now)).toMatchObject({ payload: content });
  }
  await Promise.all([rotated.close(), replaced.close()]);
});

test('a grant is valid only while its connection exists and its operator in the same organization has access', async () => {
  const { grants } = oauth;
  await grants.create(connectionOf('alive'), now);
  const operator = { organizationId: practice.organizationId, id: practice.administrator._id };
  const stateOf = async (expected?: typeof operator, time = now) =>
    (await grants.standing('alive', time, expected)).state;
  expect([await stateOf(), await stateOf(operator)]).toEqual(['live', 'live']);
  // Passing the wrong operator does not change the result.
  expect(await stateOf({ organizationId: 'organization-1', id: 'operators-1' })).toBe('live');
  expect(await stateOf(operator, after(60_000))).toBe('missing');
  await grants.keep('alive', after(120_000));
  expect(await stateOf(operator, after(60_000))).toBe('live');
  await practice.store.operators.endSessions(practice.administrator._id, now);
  expect([await stateOf(), await stateOf(operator)]).toEqual(['operatorChanged', 'operatorChanged']);
  expect(await grants.findOperator(practice.administrator._id)).toEqual({
    organizationId: practice.organizationId,
    organizationName: 'Test practice',
    accessRevision: 1,
  });
  expect(await grants.findOperator('nobody')).toBeUndefined();
});

test('a new registration makes room by deleting the oldest unused client of the network with the most', async () => {
  const { clients } = oauth;
  await testStore.database.collection('oauthClients').deleteMany({});
  const save = (id: string, network: string, minutes: number) =>
    clients.save(id, {}, { ...registered, network, createdTime: after(minutes * 60_000) });
  await save('honest', '198.51.100.1', -60);
  for (const index of [1, 2, 3, 4]) await save(`stranger ${index}`, '203.0.113.1', index);
  await save('connected', '203.0.113.1', -90);
  await clients.keep('connected', after(60_000));
  const left = async () => {
    const found = ['honest', 'connected', ...[1, 2, 3, 4].map((index) => `stranger ${index}`)];
    const alive = await Promise.all(found.map(async (id) => (await clients.find(id, now)) !== undefined));
    return found.filter((_, index) => alive[index]);
  };
  expect(await clients.makeRoom(6)).toBe(false);
  expect(await clients.makeRoom(5)).toBe(true);
  expect(await left()).toEqual(['honest', 'connected', 'stranger 2', 'stranger 3', 'stranger 4']);
  expect(await clients.makeRoom(4)).toBe(true);
  expect(await left()).toEqual(['honest', 'connected', 'stranger 3', 'stranger 4']);
});
