import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { QueueFullError } from '@chairside/concurrency';
import type { OAuthStore } from '@chairside/mongodb/oauth';
import { beforeEach, expect, test } from 'vitest';
import { openAuthorizationServer } from './authorization-server.ts';
import { callers } from './callers.ts';
import { createClientDocuments } from './client-documents.ts';
import { createDocumentFetch } from './document-fetch.ts';
import { inTurns } from './turns.ts';
import { orUnavailable, stored } from './unavailable.ts';

/** The networks for which work runs, and what ends it. */
let running: { network: string; end: () => void }[];
let results: Promise<unknown>[];
/** The names of the errors of the work that failed. */
let errors: string[];
beforeEach(() => {
  [running, results, errors] = [[], [], []];
});

const begin = (): Promise<void> => {
  const { promise, resolve: end } = Promise.withResolvers<void>();
  running.push({ network: callers.getStore()?.address ?? 'none', end });
  return promise;
};
const call = (address: string, work: () => Promise<unknown>): void => {
  const caller = { address, requestId: 'r', revokes: false };
  const failed = (error: Error) =>
    void errors.push(error.name === 'TypeError' ? (error.cause as Error).name : error.name);
  results.push(callers.run(caller, work).catch(failed));
};
const runningFor = (address: string): number => running.filter(({ network }) => network === address).length;
const networks = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'] as const;
const [greedy, other] = networks;
const neighbour = '192.0.2.9';

const endAll = async (): Promise<void> => {
  while (running.length > 0) {
    for (const { end } of running.splice(0)) end();
    await setImmediate();
  }
  await Promise.all(results);
};

const REPOSITORIES = ['state', 'clients', 'limits', 'grants', 'trail'] as const;
type Repository = (typeof REPOSITORIES)[number];
type Methods = { method(): Promise<void> };
const createStore = (): Record<Repository, Methods> => {
  const repositories = Object.fromEntries(REPOSITORIES.map((name) => [name, { method: begin }]));
  return inTurns(repositories as object as OAuthStore) as object as Record<Repository, Methods>;
};

test('operations of all repositories wait for their turn: ten of a network and thirty in all at once', async () => {
  const store = createStore();
  for (let index = 0; index < 4; index++)
    for (const name of REPOSITORIES) call(greedy, () => store[name].method());
  await setImmediate();
  expect(runningFor(greedy)).toBe(10);
  for (const network of networks.slice(1, 3))
    for (let index = 0; index < 10; index++) call(network, () => store.state.method());
  call(neighbour, () => store.state.method());
  await setImmediate();
  expect(running).toHaveLength(30);
  // Introspection has no caller, and does not wait.
  results.push(store.grants.method());
  expect(runningFor('none')).toBe(1);
  // One turn each for the greedy network and the neighbour.
  for (const { end } of running.splice(0, 2)) end();
  await setImmediate();
  expect(runningFor(neighbour)).toBe(1);
  await endAll();
  expect(errors).toEqual([]);
});

test('refuses an operation of the network with the most waiting when 2,000 wait', async () => {
  const { state } = createStore();
  for (let index = 0; index < 10 + 2000 + 1; index++) call(greedy, () => state.method());
  call(neighbour, () => state.method());
  await setImmediate();
  expect([runningFor(neighbour), errors]).toEqual([1, ['QueueFullError']]);
  await endAll();
});

test('a full queue is a 429 for the network that fills it, inside and outside of oidc-provider', async () => {
  const full = (isCallers: boolean) => Promise.reject(new QueueFullError('full', isCallers));
  const refusals = [
    stored(full(true)),
    stored(full(false)),
    orUnavailable(full(true)),
    orUnavailable(full(false)),
  ];
  expect(await Promise.allSettled(refusals)).toMatchObject([
    { reason: { statusCode: 429, error: 'temporarily_unavailable' } },
    { reason: { statusCode: 503, error: 'temporarily_unavailable' } },
    { reason: { name: 'TooManyRequests', retryAfter: 2 } },
    { reason: { name: 'ServiceUnavailable', retryAfter: 2 } },
  ]);
});

test('the operations of the authorization server wait for their turn', async () => {
  const { store, close } = openAuthorizationServer(
    {
      PUBLIC_URL: 'http://127.0.0.1',
      MCP_URL: 'http://127.0.0.1/mcp',
      // Nothing listens here, so no operation ends before the test.
      MONGODB_URL: 'mongodb://127.0.0.1:1',
      OAUTH_KEYS: `a:${randomBytes(32).toString('base64')}`,
      OAUTH_REDIRECT_SCHEMES: [],
      OAUTH_CLIENT_HOSTS: [],
      AUDIT_RETENTION_DAYS: 1,
    },
    { faulted() {}, grantEnded() {}, clientRegistered() {}, oauthLimited() {} },
  );
  for (let index = 0; index < 10 + 2000 + 1; index++)
    call(greedy, () => store.grants.hasClient('client', new Date()));
  await setImmediate();
  expect(errors).toEqual(['QueueFullError']);
  await close();
  await Promise.all(results);
});

const createDocuments = () =>
  createClientDocuments({
    store: { grants: { hasClient: async () => false } } as object as OAuthStore,
    admission: { fetchDocument: async () => undefined },
    hosts: [],
    fetchDocument: async () => {
      await begin();
      return new Response('{}');
    },
    failureLifeMs: 0,
  });
const openLookups = () =>
  createDocumentFetch(async () => {
    await begin();
    return [];
  });

const LOOK_UPS = [
  ['documents', createDocuments],
  ['hosts of documents', openLookups],
] as const;

test.each(LOOK_UPS)(
  'four %s of a network and sixteen in all are looked up at once, and networks take turns',
  async (_what, open) => {
    const documents = open();
    const send = (network: string, count: number) => {
      for (let index = 0; index < count; index++)
        call(network, () => documents.fetch(`https://app-${results.length}.example/`));
    };
    send(greedy, 5);
    await expect.poll(() => runningFor(greedy)).toBe(4);
    for (const network of networks.slice(1)) send(network, 4);
    await expect.poll(() => running.length).toBe(16);
    send(neighbour, 1);
    await setImmediate();
    expect([running.length, runningFor(greedy), runningFor(other)]).toEqual([16, 4, 4]);
    // One turn each for the greedy network and the neighbour.
    for (const { end } of running.splice(0, 2)) end();
    await expect.poll(() => runningFor(neighbour)).toBe(1);
    await endAll();
  },
);

test.each(LOOK_UPS)(
  'refuses the lookup of one of the %s, of the network with the most, when 200 wait',
  async (_what, open) => {
    const documents = open();
    for (let index = 0; index < 4 + 200 + 1; index++)
      call(greedy, () => documents.fetch(`https://app-${index}.example/`));
    await expect.poll(() => errors).toEqual(['QueueFullError']);
    call(neighbour, () => documents.fetch('https://neighbour.example/'));
    await expect.poll(() => runningFor(neighbour)).toBe(1);
    await endAll();
  },
);
