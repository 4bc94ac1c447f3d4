import {
  apiAddress,
  createPractice,
  openTestStore,
  type Practice,
  type ServiceProcess,
  startApi,
  type TestStore,
  testEngines,
} from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Chairside, ChairsideError } from '../src/index.ts';

/* The client against the real api, which runs as a process. */

let store: TestStore;
let practice: Practice;
let api: ServiceProcess;
let baseUrl: string;
let client: Chairside;

const start = async () => {
  api = startApi({
    MONGODB_URL: store.url,
    REDIS_URL: testEngines().redisUrl,
    REDIS_PREFIX: store.redisPrefix,
    ENCRYPTION_KEYS: store.encryptionKeys,
  });
  baseUrl = await apiAddress(api);
};
/** Follows the api to its new port after a restart. */
const fetchFromApi = (url: string, init: object) => fetch(url.replace('http://localhost', baseUrl), init);

beforeAll(async () => {
  store = await openTestStore();
  practice = await createPractice(store.store);
  await start();
  const common = { baseUrl: 'http://localhost', fetch: fetchFromApi };
  client = new Chairside({ ...common, apiKey: practice.apiKey });
});
afterAll(async () => {
  await api.end('SIGTERM');
  await store.close();
});

const refusal = async (call: PromiseLike<unknown>): Promise<ChairsideError> => {
  try {
    await call;
  } catch (error) {
    if (error instanceof ChairsideError) return error;
    throw error;
  }
  throw new Error('not refused');
};

describe('records', () => {
  it('are created, read, changed and deleted', async () => {
    const clinicId = practice.clinicIds[0];
    const created = await client.patients.create({ clinicId, name: 'Ada Beispiel' });
    expect(await client.patients.get(created._id)).toEqual(created);
    const updated = await client.patients.update(created._id, { language: 'en' });
    expect(updated).toMatchObject({ name: 'Ada Beispiel', language: 'en' });
    expect(await client.patients.delete(created._id)).toMatchObject({ _id: created._id });
    expect(await refusal(client.patients.get(created._id))).toMatchObject({ status: 404, name: 'NotFound' });
  });
});
