import {
  type ApiResponse,
  apiAddress,
  basic,
  callApi,
  LONGEST_WAIT_MS,
  openedDocuments,
  redisServers,
  type ServiceProcess,
  startApi,
  startWholeService,
  testEngines,
  type WholeService,
} from '@chairside/test-support';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

// Two processes of the api share only MongoDB and Redis. A change in one must take effect in the other.
let service: WholeService;
let other: ServiceProcess;
let addresses: readonly [string, string];
beforeAll(async () => {
  service = await startWholeService(testEngines().redisUrl, { dispatcher: false });
  other = startApi({
    MONGODB_URL: service.url,
    REDIS_URL: testEngines().redisUrl,
    REDIS_PREFIX: service.redisPrefix,
    ENCRYPTION_KEYS: service.encryptionKeys,
  });
  addresses = [service.address, await apiAddress(other)];
  // Until Redis is connected, each process counts separately.
  const servers = redisServers();
  for (const which of [0, 1] as const) {
    const rateLimit = 1001 + which;
    const { as } = await newKey({ rateLimit });
    const counted = async () => {
      await at(which, 'GET', '/api/clinics', as);
      const pattern = `${service.redisPrefix}:limit:${rateLimit}/*`;
      return (await Promise.all(servers.map((redis) => redis.keys(pattern)))).flat();
    };
    await vi.waitUntil(async () => (await counted()).length > 0, { timeout: LONGEST_WAIT_MS });
  }
  for (const redis of servers) redis.disconnect();
});
afterAll(async () => {
  await other.end('SIGKILL');
  await service.close();
});

const at = (
  which: 0 | 1,
  method: string,
  path: string,
  as: string,
  body?: object,
  headers = {},
): Promise<ApiResponse> =>
  callApi(addresses[which], method, path, { ...(as !== '' && { authorization: as }), ...headers }, body);
const administrator = () => `Token ${service.practice.administrator.token}`;
const newKey = async (fields: object = {}) => {
  const { json } = await at(0, 'POST', '/api/apikeys', administrator(), { name: 'x', ...fields });
  return { path: `/api/apikeys/${json._id}`, as: basic(json.secret) };
};

test('a key that gets more scopes or is deleted in one process changes in the other within a second', async () => {
  const { path, as } = await newKey({ scopes: ['clinics:read'] });
  const statuses = async (url: string) => [
    (await at(0, 'GET', url, as)).status,
    (await at(1, 'GET', url, as)).status,
  ];
  expect(await statuses('/api/clinics')).toEqual([200, 200]);
  expect(await statuses('/api/patients')).toEqual([403, 403]);
  await at(0, 'PUT', path, administrator(), { scopes: ['clinics:read', 'patients:read'] });
  await expect.poll(() => statuses('/api/patients')).toEqual([200, 200]);
  expect((await at(0, 'DELETE', path, administrator())).status).toBe(200);
  await expect.poll(() => statuses('/api/clinics')).toEqual([401, 401]);
});

test('a sign-out in one process ends the session in the other', async () => {
  const { email, password } = service.practice.staff;
  const { json } = await at(0, 'POST', '/api/sessions', '', { email, password });
  const as = `Token ${json.token}`;
  expect((await at(1, 'GET', '/api/sessions/current', as)).status).toBe(200);
  await at(0, 'DELETE', '/api/sessions/current', as);
  expect((await at(1, 'GET', '/api/sessions/current', as)).status).toBe(401);
});

test('both processes count the requests of a key together', async () => {
  const { as } = await newKey();
  const limited = await newKey({ rateLimit: 4 });
  const statuses = [];
  for (const which of [0, 1, 0, 1, 0, 1] as const) {
    statuses.push((await at(which, 'GET', '/api/clinics', limited.as)).status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
  expect((await at(0, 'GET', '/api/clinics', as)).status).toBe(200);
});

test('both processes count failed sign-ins together', async () => {
  const { email, password } = service.practice.staff;
  for (const which of [0, 1, 0, 1, 0] as const) {
    expect((await at(which, 'POST', '/api/sessions', '', { email, password: 'wrong' })).status).toBe(401);
  }
  expect((await at(1, 'POST', '/api/sessions', '', { email, password })).status).toBe(429);
});

test('fifty requests to both with the same Idempotency-Key create one record and one event', async () => {
  const { staff, clinicIds } = service.practice;
  const body = { clinicId: clinicIds[0], name: 'both' };
  const as = `Token ${staff.token}`;
  const calls = Array.from({ length: 50 }, (_, index) =>
    at(index % 2 === 0 ? 0 : 1, 'POST', '/api/patients', as, body, { 'idempotency-key': 'both' }),
  );
  const responses = await Promise.all(calls);
  expect(new Set(responses.map(({ status }) => status)).difference(new Set([200, 409])).size).toBe(0);
  const records = responses.filter(({ status }) => status === 200);
  expect(new Set(records.map(({ json }) => json._id)).size).toBe(1);
  const stored = (await openedDocuments(service, 'patients')).filter(({ name }) => name === 'both');
  expect(stored).toHaveLength(1);
  expect(stored[0]?.outbox).toHaveLength(1);
});
