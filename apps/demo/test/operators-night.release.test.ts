import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Engine, type Engines, startEngines } from '@chairside/local-services';
import { freePort, killAtExit } from '@chairside/processes';
import {
  apiAddress,
  basic,
  callApi,
  createPractice,
  metricsUrl,
  type Practice,
  type RecordingReceiver,
  type ServiceProcess,
  skewedBy,
  startApi,
  startDispatcher,
  startRecordingReceiver,
  startWholeProduct,
  untilDispatching,
  type WholeProduct,
} from '@chairside/test-support';
import { nodeArgumentsOf, spawnOptions } from '@chairside/test-support/app';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Prometheus, startPrometheus } from './prometheus.ts';

/*
 * A night of an operator: one trouble after the other befalls the whole service, while a practice works, and Prometheus
 * evaluates the alert rules. Exactly the alerts fire that docs/operation/watch.md names for the trouble, and each ends.
 */

const HOSTS = 6;
/** The pause between two writes of the practice. */
const PACE_MS = 100;
const FLOOD = 3000;
const FLOODING = 30;
const LOST_DNS_MODULE = fileURLToPath(new URL('./lost-dns.mjs', import.meta.url));

/** The alerts of each trouble, as the operator reads them. */
const table = (): Record<string, string[]> => {
  const text = readFileSync(new URL('../../../docs/operation/watch.md', import.meta.url), 'utf8');
  const [, section = ''] = /^## Which alerts a trouble fires$(.*?)^## /ms.exec(text) ?? [];
  const rows = [...section.matchAll(/^\| (?!Trouble|---)(.+?) \| (.+?) \|$/gm)];
  return Object.fromEntries(
    rows.map(([, trouble, alerts = '']) => [
      trouble as string,
      [...alerts.matchAll(/`(\w+)`/g)].map(([, name]) => name as string).sort(),
    ]),
  );
};

let folder: string;
let lostDns: string;
let engines: Engines;
let service: WholeProduct;
let prometheus: Prometheus;
let receiver: RecordingReceiver;
let otherApi: ServiceProcess;
let dispatchers: ServiceProcess[] = [];
let load: Promise<void>;
const night = new AbortController();

const environment = () => ({
  MONGODB_URL: service.url,
  REDIS_URL: engines.redis.url,
  REDIS_PREFIX: service.redisPrefix,
  ENCRYPTION_KEYS: service.encryptionKeys,
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  FAILING_PAUSE_MS: '1',
  FAILING_PAUSE_MAX_MS: '20',
});

const metricsUrls = (): Promise<string[]> => {
  const { api, dashboard, connector } = service;
  return Promise.all([api, otherApi, dashboard, connector, ...dispatchers].map(metricsUrl));
};

/** @param more further addresses of metrics */
const scrape = async (...more: string[]): Promise<void> =>
  prometheus.scrape([...(await metricsUrls()), ...more]);

const replaceOtherApi = async (changes: Record<string, string>): Promise<void> => {
  await otherApi?.end('SIGTERM');
  otherApi = startApi({ ...environment(), ...changes });
  await apiAddress(otherApi);
};

const startDispatchers = async (): Promise<void> => {
  const started = Array.from({ length: 2 }, () =>
    startDispatcher({ ...environment(), NODE_OPTIONS: `--import=${LOST_DNS_MODULE}`, LOST_DNS: lostDns }),
  );
  await Promise.all(started.map(untilDispatching));
  dispatchers = started;
};

/** Writes patients of a practice, one after the other, and takes every response. */
const startLoad = async (clinicId: string): Promise<void> => {
  while (!night.signal.aborted) {
    await service.call('POST', '/api/patients', { clinicId });
    await sleep(PACE_MS);
  }
};

const subscribe = async ({ store }: Practice, clinicId: string, url: string): Promise<void> => {
  await store.subscriptions.create({ clinicId, url, events: [], active: true }, new Date());
};

const answer: RecordingReceiver['respond'] = (_post, response) => void response.end();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'night-'));
  lostDns = join(folder, 'lost-dns');
  engines = await startEngines({
    ephemeral: true,
    environment: { ...process.env, MONGODB_URL: '', REDIS_URL: '' },
  });
  service = await startWholeProduct(engines.redis.url, { mongodbUrl: engines.mongodb.url, environment: {} });
  // The dispatchers of the night have name lookups that can be lost.
  await service.dispatcher.end('SIGTERM');
  receiver = await startRecordingReceiver({ keepsBodies: false });
  const clinicId = service.practice.clinicIds[1];
  const { port } = new URL(receiver.url);
  for (let host = 0; host < HOSTS; host++)
    await subscribe(service.practice, clinicId, `http://receiver-${host}.test:${port}/`);
  await Promise.all([startDispatchers(), replaceOtherApi({})]);
  prometheus = await startPrometheus(await metricsUrls());
  load = startLoad(clinicId);
});
afterAll(async () => {
  night.abort();
  await load;
  await prometheus?.stop();
  await Promise.all([otherApi, ...dispatchers].map((each) => each?.end('SIGKILL')));
  await service?.close();
  await receiver?.close();
  await engines?.stop();
  await rm(folder, { recursive: true });
});

const signal = ({ pids }: Engine, name: NodeJS.Signals): void => {
  for (const pid of pids) process.kill(pid, name);
};
const pause = (engine: Engine) => async () => {
  signal(engine, 'SIGSTOP');
  return async () => signal(engine, 'SIGCONT');
};

/** Begins the trouble. The result ends it. */
type Trouble = () => Promise<() => Promise<unknown>>;

const troubles = (): Record<string, Trouble> => ({
  'A receiver of one customer accepts requests and never responds.': async () => {
    const hanging = await startRecordingReceiver({ keepsBodies: false });
    hanging.respond = () => {};
    const practice = await createPractice(service.store);
    const [clinicId] = practice.clinicIds;
    await subscribe(practice, clinicId, `http://hanging.test:${new URL(hanging.url).port}/`);
    for (let written = 0; written < 25; written++)
      await service.call('POST', '/api/patients', { clinicId }, basic(practice.apiKey));
    return async () => {
      hanging.closeConnections();
      await hanging.close();
    };
  },
  'MongoDB does not respond for more than a minute.': pause(engines.mongodb),
  'Redis does not respond.': pause(engines.redis),
  'The memory of Redis is full.': async () => {
    const client = new Redis(engines.redis.url);
    await client.config('SET', 'maxmemory', '1kb');
    return async () => {
      await client.config('SET', 'maxmemory', '0');
      client.disconnect();
    };
  },
  'The data keys of an organization are lost.': async () => {
    const { organizationId, clinicIds, apiKey } = await createPractice(service.store);
    const as = basic(apiKey);
    const { json } = await service.call('POST', '/api/patients', { clinicId: clinicIds[0] }, as);
    const patient = { _id: json._id, outboxAt: { $exists: true } };
    await expect.poll(() => service.database.collection('patients').countDocuments(patient)).toBe(0);
    const keys = service.database.collection('dataKeys');
    const lost = await keys.find({ organizationId }).toArray();
    await keys.deleteMany({ organizationId });
    const read = async () =>
      (await callApi(await apiAddress(otherApi), 'GET', `/api/patients/${json._id}`, { authorization: as }))
        .status;
    expect(await read()).toBe(500);
    return async () => {
      await keys.insertMany(lost);
      await expect.poll(read).toBe(200);
    };
  },
  'One organization writes as much as it can.': async () => {
    const { clinicIds, apiKey } = await createPractice(service.store);
    const as = basic(apiKey);
    let left = FLOOD;
    const write = async () => {
      for (; left > 0; left--) await service.call('POST', '/api/patients', { clinicId: clinicIds[0] }, as);
    };
    await Promise.all(Array.from({ length: FLOODING }, write));
    return async () => {};
  },
  'The log of an api cannot be written, because its disk is full.': async () => {
    const full = openSync('/dev/full', 'w');
    const [port, metricsPort] = (await Promise.all([freePort(), freePort()])).map(String) as [string, string];
    const more = { PORT: port, METRICS_PORT: metricsPort };
    const child = killAtExit(
      spawn(process.execPath, nodeArgumentsOf('api'), {
        ...spawnOptions({ ...environment(), ...more }),
        stdio: ['ignore', full, full],
      }),
    );
    closeSync(full);
    const address = `http://127.0.0.1:${port}`;
    const isReady = () =>
      fetch(`${address}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(isReady).toBe(true);
    await scrape(`http://127.0.0.1:${metricsPort}/metrics`);
    const authorization = basic(service.practice.apiKey);
    for (let call = 0; call < 100; call++)
      expect((await callApi(address, 'GET', '/api/clinics', { authorization })).status).toBe(200);
    return async () => {
      child.kill('SIGTERM');
      await scrape();
    };
  },
  'The clock of an api is five minutes ahead.': async () => {
    await replaceOtherApi(skewedBy(300_000));
    await scrape();
    return async () => {
      await replaceOtherApi({});
      await scrape();
    };
  },
  'No name server responds.': async () => {
    await writeFile(lostDns, '');
    receiver.closeConnections();
    return () => rm(lostDns);
  },
  'The dispatchers are killed during attempts, and started again.': async () => {
    let open = 0;
    receiver.respond = () => void open++;
    await expect.poll(() => open).toBeGreaterThanOrEqual(HOSTS);
    await Promise.all(dispatchers.map((each) => each.end('SIGKILL')));
    receiver.respond = answer;
    await startDispatchers();
    await scrape();
    return async () => {};
  },
});

const now = (): number => Date.now() / 1000;
/** How often the rules are evaluated to see that nothing else fires: longer than the longest `for` of a page. */
const WATCHED = 45;
/** How often they are evaluated after the alerts of a trouble have begun, before it ends. */
const LINGERING = 10;
/** It looks back for an hour, so it ends after the other troubles. */
const LASTING = 'ChairsideSubscriptionDisabled';

test('each trouble fires the alerts that the documentation names for it, no others, and they end', async () => {
  const expected = table();
  const begin = troubles();
  expect(Object.keys(expected)).toEqual(Object.keys(begin));
  const began = now();
  await prometheus.evaluated(WATCHED);
  const found: Record<string, string[]> = { before: await prometheus.began(began, now()) };
  for (const [name, alerts] of Object.entries(expected)) {
    const from = now();
    const end = await (begin[name] as Trouble)();
    await expect.poll(() => prometheus.firing()).toEqual(expect.arrayContaining(alerts));
    await prometheus.evaluated(alerts.length === 0 ? WATCHED : LINGERING);
    await end();
    await expect
      .poll(async () => (await prometheus.firing()).filter((alert) => alert !== LASTING))
      .toEqual([]);
    found[name] = await prometheus.began(from, now());
  }
  expect(found).toEqual({ before: [], ...expected });
  await expect.poll(() => prometheus.firing()).toEqual([]);
});
