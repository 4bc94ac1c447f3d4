import {
  apiAddress,
  basic,
  callApi,
  type ServiceProcess,
  skewedBy,
  startApi,
  startWholeService,
  testEngines,
  type WholeService,
} from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** The callers at each moment, half of them with the old secret and half with the new one. */
const CALLERS = 50;
/** How long the end is in the future when it is set, and how long the calls go on after it, in milliseconds. */
const AHEAD_MS = 3000;
/** How long a secret may be accepted after its end (service description, API keys). */
const LATE_MS = 1000;
/** How exactly a process knows the clock of the database. */
const EXACT_MS = 250;

// Two apis whose clocks are five minutes ahead and five minutes behind. Each caller has a network of its own, because wrong
// keys of one network are limited.
const TRUST = { TRUST_PROXY: '127.0.0.1' };
let service: WholeService;
let behind: ServiceProcess;
let addresses: string[];
beforeAll(async () => {
  service = await startWholeService(testEngines().redisUrl, {
    dispatcher: false,
    environment: { ...skewedBy(300_000), ...TRUST },
  });
  behind = startApi({
    MONGODB_URL: service.url,
    REDIS_URL: testEngines().redisUrl,
    REDIS_PREFIX: service.redisPrefix,
    ENCRYPTION_KEYS: service.encryptionKeys,
    ...skewedBy(-300_000),
    ...TRUST,
  });
  addresses = [service.address, await apiAddress(behind)];
});
afterAll(async () => {
  await behind.end('SIGKILL');
  await service.close();
});

const manage = async (method: string, path: string, body?: object) => {
  const as = { authorization: `Token ${service.practice.administrator.token}` };
  const { status, json } = await callApi(service.address, method, path, as, body);
  expect({ method, path, status }).toEqual({ method, path, status: 200 });
  return json;
};
const newKey = () => manage('POST', '/api/apikeys', { name: 'rotated', rateLimit: 100_000 });

/** A call, with its beginning and its end in milliseconds since 1970. */
type Call = { address: number; secret: string; from: number; until: number; status: number };

/** Calls both apis with these secrets until `stop`, `CALLERS` at a time. */
const startCallers = (...secrets: string[]) => {
  const calls: Call[] = [];
  let isStopped = false;
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    const secret = secrets[caller % secrets.length] ?? '';
    for (let turn = caller >> 1; !isStopped; turn++) {
      const address = turn % 2;
      const from = Date.now();
      const { status } = await callApi(String(addresses[address]), 'GET', '/api/apikeys/current', {
        authorization: basic(secret),
        'x-forwarded-for': `203.0.${caller}.1`,
      });
      calls.push({ address, secret, from, until: Date.now(), status });
    }
  });
  return {
    calls,
    /** Resolves when both apis have responded to a call with this secret that began after this time. */
    passed: (time: number, secret: string) =>
      expect
        .poll(
          () =>
            new Set(
              calls.filter((each) => each.secret === secret && each.from > time).map((each) => each.address),
            ).size,
        )
        .toBe(2),
    async stop(): Promise<void> {
      isStopped = true;
      await Promise.all(callers);
    },
  };
};

/** The calls that a secret with this end got wrong: refused before it, or accepted after it. */
const wrong = (calls: readonly Call[], secret: string, end: number): Call[] =>
  calls.filter(
    (each) =>
      each.secret === secret &&
      (each.status === 401 ? each.until < end - EXACT_MS : each.status !== 200 || each.from > end + LATE_MS),
  );

test('a rotated secret is accepted until its end and no longer, and the new one at once, in both processes', async () => {
  const { _id, secret: old } = await newKey();
  const { secret } = await manage('POST', `/api/apikeys/${_id}/rotate`, { overlapHours: 1 });
  const callers = startCallers(old, secret);
  await callers.passed(Date.now(), old);
  const end = Date.now() + AHEAD_MS;
  await service.database
    .collection<{ _id: string }>('apiKeys')
    .updateOne({ _id }, { $set: { 'former.endTime': new Date(end) } });
  await callers.passed(end + LATE_MS, old);
  await callers.stop();
  expect(wrong(callers.calls, old, end)).toEqual([]);
  expect(wrong(callers.calls, secret, Number.POSITIVE_INFINITY)).toEqual([]);
  for (const address of [0, 1])
    expect(callers.calls.filter((each) => each.address === address && each.status === 401)).not.toEqual([]);
});

test('a rotation without an overlap ends the old secret within a second in both processes', async () => {
  const { _id, secret: old } = await newKey();
  const callers = startCallers(old);
  await callers.passed(Date.now(), old);
  const begun = Date.now();
  const { secret } = await manage('POST', `/api/apikeys/${_id}/rotate`, { overlapHours: 0 });
  const end = Date.now();
  const successors = startCallers(secret);
  await callers.passed(end + LATE_MS, old);
  await successors.passed(end + LATE_MS, secret);
  await Promise.all([callers.stop(), successors.stop()]);
  expect(callers.calls.filter(({ status, until }) => status === 401 && until < begun)).toEqual([]);
  expect(callers.calls.filter(({ status, from }) => status !== 401 && from > end + LATE_MS)).toEqual([]);
  expect(wrong(successors.calls, secret, Number.POSITIVE_INFINITY)).toEqual([]);
});

test('a key ends at its expiryTime in both processes', async () => {
  const { _id, secret } = await newKey();
  const callers = startCallers(secret);
  await callers.passed(Date.now(), secret);
  const end = Date.now() + AHEAD_MS;
  await manage('PUT', `/api/apikeys/${_id}`, { expiryTime: new Date(end).toISOString() });
  await callers.passed(end + LATE_MS, secret);
  await callers.stop();
  expect(wrong(callers.calls, secret, end)).toEqual([]);
  // The time of the database ends it, so there is no second of grace.
  expect(callers.calls.filter(({ status, from }) => status === 200 && from > end + EXACT_MS)).toEqual([]);
});
