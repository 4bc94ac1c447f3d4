import { createPractice } from '@chairside/test-support';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { expectNothingLost } from './cable.ts';
import { openTestDispatcher, type TestDispatcher } from './dispatcher.ts';
import { closeConnections, closeServers, withoutDns, withoutRoute, withoutWayOut } from './network.ts';

const PATIENTS = 30;

let dispatcher: TestDispatcher;
beforeEach(async () => {
  dispatcher = await openTestDispatcher();
});
afterEach(async () => {
  await dispatcher.close();
  closeServers();
});

test.each([
  ['all connections are refused', withoutWayOut],
  ['no name can be looked up', withoutDns],
  ['the only receiver has no route', withoutRoute],
])(
  'while %s, loses no event, disables no subscription and tries one delivery a second',
  async (_name, cutOff) => {
    const received: string[] = [];
    const { urls, cut, restore, ...network } = await cutOff(received);
    for (const url of urls) await dispatcher.subscribe(url);
    const deliveries = dispatcher.database.collection('deliveries');
    const inState = (status: object) => () => deliveries.countDocuments({ status });

    const workers = dispatcher.start({}, network);
    await dispatcher.createPatients(1);
    await expect.poll(inState({ $eq: 'succeeded' })).toBe(urls.length);
    cut();
    await dispatcher.createPatients(PATIENTS);
    await dispatcher.untilLogged((logs) =>
      logs.some(({ msg }) => msg.startsWith('no receiver can be reached')),
    );
    expect(workers.isOut()).toBe(true);
    const { outages } = dispatcher.store.everyOrganization;
    await expect.poll(() => outages.current()).toBeInstanceOf(Date);
    const { subscriptions } = dispatcher.practice.store;
    const total = urls.length * (PATIENTS + 1);
    // Deliveries that failed before the outage was declared are back in the queue too.
    await expect.poll(inState({ $in: ['queued', 'sending'] })).toBe(urls.length * PATIENTS);
    // Failures are subtracted right after their deliveries have been requeued.
    const healths = async () =>
      (await subscriptions.list()).map(({ active, consecutiveFailures }) => ({
        active,
        consecutiveFailures,
      }));
    await expect.poll(healths).toEqual(Array(urls.length).fill({ active: true, consecutiveFailures: 0 }));
    expect(received).toHaveLength(urls.length);

    await restore();
    await dispatcher.untilLogged((logs) => logs.some(({ msg }) => msg === 'the outage is over'));
    await expect.poll(inState({ $eq: 'succeeded' })).toBe(total);
    expect(workers.isOut()).toBe(false);
    await expect.poll(() => outages.current()).toBeUndefined();
    expect(new Set(received).size).toBe(total);
    expect(received).toHaveLength(total);
  },
);

test('organizations whose hosts are down or do not exist do not stop the deliveries of others', async () => {
  const received: string[] = [];
  const { urls, resolve: known } = await withoutDns(received);
  const gone = new Set<string>();
  const resolve = async (host: string) => {
    if (gone.has(host) || host.startsWith('no-such')) {
      throw Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN' });
    }
    return known?.(host) ?? [];
  };
  const neighbour = await createPractice(dispatcher.store);
  const { subscriptions } = neighbour.store;
  const subscribeNeighbour = (url: string) =>
    subscriptions.create({ clinicId: neighbour.clinicIds[0], url, events: [], active: true }, new Date());
  const [own = '', ...others] = urls;
  await dispatcher.subscribe(own);
  for (const url of others) await subscribeNeighbour(url);
  const workers = dispatcher.start({}, { resolve });
  const deliveries = dispatcher.database.collection('deliveries');
  const ended = (outcome: string) => () => deliveries.countDocuments({ status: outcome });
  await dispatcher.createPatients(1);
  await dispatcher.createPatientsOf(neighbour, 1);
  await expect.poll(ended('succeeded')).toBe(urls.length);

  for (let host = 0; host < 12; host++) {
    const made = await subscribeNeighbour(`http://no-such-${host}.test:1/`);
    if (made === undefined) throw new Error('no room');
    for (let times = 0; times < 3; times++)
      await neighbour.store.deliveries.test(made, { kind: 'operator' }, new Date());
  }
  await expect.poll(ended('failed')).toBe(36);
  for (const url of others) {
    gone.add(new URL(url).hostname);
  }
  closeConnections();
  await dispatcher.createPatientsOf(neighbour, 10);
  await dispatcher.untilLogged((logs) => logs.some(({ msg }) => msg.includes('another host responds')));
  await dispatcher.createPatients(1);
  await expect.poll(ended('succeeded')).toBe(urls.length + 1);
  expect(workers.isOut()).toBe(false);
  expect(dispatcher.logs.filter(({ msg }) => msg.startsWith('no receiver can be reached'))).toEqual([]);
});

test('disables the subscription of a receiver that was shut down, even if it is the only one', async () => {
  const received: string[] = [];
  const { urls, cut, ...network } = await withoutWayOut(received);
  const [url = ''] = urls;
  const { _id } = await dispatcher.subscribe(url);
  dispatcher.start({}, network);
  await dispatcher.createPatients(1);
  const succeeded = { status: 'succeeded' };
  const deliveries = dispatcher.database.collection('deliveries');
  await expect.poll(() => deliveries.countDocuments(succeeded)).toBe(1);
  cut();
  await dispatcher.createPatients(25);
  const { subscriptions } = dispatcher.practice.store;
  await expect.poll(() => subscriptions.find(_id)).toMatchObject({ active: false });
});

test('loses nothing while four dispatchers cannot reach the only receiver', () => expectNothingLost(20, 500));
