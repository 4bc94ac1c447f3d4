import {
  apiAddress,
  callApi,
  type ServiceProcess,
  skewedBy,
  startApi,
  startDispatcher,
  startWholeService,
  testEngines,
  untilDispatching,
  type WholeService,
} from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';

const AHEAD = skewedBy(300_000);
const BEHIND = skewedBy(-300_000);
const TOLERANCE_MS = 2000;

// Two apis and a dispatcher, on machines whose clocks are five minutes ahead, five minutes behind, and right. A second
// dispatcher is 90 s ahead.
let service: WholeService;
let behind: ServiceProcess;
let dispatcher: ServiceProcess;
let addressBehind: string;
beforeAll(async () => {
  service = await startWholeService(testEngines().redisUrl, { dispatcher: false });
  await service.api.end('SIGTERM');
  const environment = {
    MONGODB_URL: service.url,
    REDIS_URL: testEngines().redisUrl,
    REDIS_PREFIX: service.redisPrefix,
    ENCRYPTION_KEYS: service.encryptionKeys,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  };
  behind = startApi({ ...environment, ...BEHIND });
  dispatcher = startDispatcher({ ...environment, ...skewedBy(90_000) });
  await Promise.all([
    service.startApi(AHEAD),
    service.startDispatcher(),
    apiAddress(behind).then((address) => {
      addressBehind = address;
    }),
    untilDispatching(dispatcher),
  ]);
});
afterAll(async () => {
  await Promise.all([behind.end('SIGKILL'), dispatcher.end('SIGKILL')]);
  await service.close();
});

const addresses = () => ({ ahead: service.address, behind: addressBehind });
type Place = keyof ReturnType<typeof addresses>;
const callAt = (place: Place, method: string, path: string, body?: object) =>
  callApi(
    addresses()[place],
    method,
    path,
    { authorization: `Token ${service.practice.administrator.token}` },
    body,
  );
const isNow = (time: string | Date | number): boolean =>
  Math.abs(new Date(time).getTime() - Date.now()) < 60_000;

test.each([
  ['ahead', 'behind'],
  ['behind', 'ahead'],
] as const)(
  'a subscription made through the api that is %s receives events of the other',
  async (one, other) => {
    const [clinicId] = service.practice.clinicIds;
    const { receiver } = service;
    const before = receiver.posts.length;
    const created = await callAt(one, 'POST', '/api/webhooksubscriptions', {
      clinicId,
      url: `${receiver.url}/${one}`,
      events: [],
      active: true,
    });
    expect(created.status).toBe(200);
    const ids = [];
    for (let index = 0; index < 15; index++) {
      const { json } = await callAt(other, 'POST', '/api/patients', { clinicId, name: `${index}` });
      expect(isNow(json.lastEditTime)).toBe(true);
      ids.push(json._id);
    }
    const received = () =>
      receiver.posts
        .slice(before)
        .filter(({ path }) => path.endsWith(`/${one}`))
        .map(({ json }) => json.data._id);
    await receiver.until(() => received().length >= ids.length);
    expect(received().toSorted()).toEqual(ids.toSorted());
    for (const { headers } of receiver.posts) {
      const [, t] = /\bt=(\d+)/.exec(JSON.stringify(headers)) ?? [];
      expect(isNow(Number(t) * 1000)).toBe(true);
    }
  },
);

test('times are those of the database: of records, of responses, of deliveries and of the audit log', async () => {
  for (const [place, address] of Object.entries(addresses())) {
    const response = await fetch(`${address}/health/live`);
    const date = new Date(response.headers.get('date') ?? '').getTime();
    expect({ place, near: Math.abs(date - Date.now()) < TOLERANCE_MS + 1000 }).toEqual({ place, near: true });
  }
  const collection = service.database.collection('deliveries');
  await expect.poll(() => collection.countDocuments({ status: { $ne: 'succeeded' } })).toBe(0);
  const deliveries = await collection.find().toArray();
  expect(deliveries.length).toBeGreaterThan(15);
  for (const { createdTime, attemptTime, finalTime } of deliveries)
    expect([createdTime, attemptTime, finalTime].map(isNow)).toEqual([true, true, true]);
  // The entry of a write appears half a second after its webhook.
  const audit = service.database.collection('auditEntries');
  await expect.poll(() => audit.countDocuments()).toBeGreaterThan(30);
  const entries = await audit.find().toArray();
  for (const { time } of entries) expect(isNow(time)).toBe(true);
});

test('each process reports how wrong its clock is, is ready, and registers it', async () => {
  for (const process of [service.api, behind, dispatcher])
    await process.logged(({ msg }) => msg === 'the clock of this machine differs from that of the database');
  for (const address of Object.values(addresses()))
    expect((await fetch(`${address}/health/ready`)).status).toBe(200);
  const registered = () => service.database.collection('processes').find().toArray();
  const skews = async () =>
    (await registered()).map(({ skewMs }) => Math.round(skewMs / 1000) + 0).toSorted((a, b) => a - b);
  expect(await skews()).toEqual([-300, 0, 90, 300]);
});

test('events of an api that is ahead are sent at once, without Redis too', async () => {
  await service.api.end('SIGTERM');
  // Nothing listens on this port, so that only the sweep finds the events.
  await service.startApi({ ...AHEAD, REDIS_URL: 'redis://127.0.0.1:1' });
  const [clinicId] = service.practice.clinicIds;
  const { json } = await callAt('ahead', 'POST', '/api/patients', { clinicId });
  await service.receiver.until((posts) => posts.some((post) => post.json.data._id === json._id));
});
