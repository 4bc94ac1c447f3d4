import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestDispatcher, type TestDispatcher } from './dispatcher.ts';
import { closeServers, HOSTS, withoutDns, withoutWayOut } from './network.ts';

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
  ['nobody can be connected to', withoutWayOut],
  ['no name can be looked up', withoutDns],
])(
  'while %s no event is lost, nobody is disabled, and one Delivery a second is tried',
  async (_name, cutOff) => {
    const received: string[] = [];
    const { urls, restore, ...network } = await cutOff(received);
    for (const url of urls) await dispatcher.subscribe(url);

    const workers = dispatcher.start({}, network);
    await dispatcher.createPatients(PATIENTS);
    await dispatcher.untilLogged((logs) => logs.some(({ msg }) => msg.startsWith('nobody can be reached')));
    expect(workers.isOut()).toBe(true);
    const { subscriptions } = dispatcher.practice.store;
    const deliveries = dispatcher.database.collection('deliveries');
    const total = HOSTS * PATIENTS;
    // Also those that had failed before it was known why are back in the queue.
    const inState = (status: object) => () => deliveries.countDocuments({ status });
    await expect.poll(inState({ $in: ['queued', 'sending'] })).toBe(total);
    // Failures are taken back right after their Deliveries.
    const healths = async () =>
      (await subscriptions.list()).map(({ active, consecutiveFailures }) => ({
        active,
        consecutiveFailures,
      }));
    await expect.poll(healths).toEqual(Array(HOSTS).fill({ active: true, consecutiveFailures: 0 }));
    expect(received).toEqual([]);

    await restore();
    await dispatcher.untilLogged((logs) => logs.some(({ msg }) => msg === 'the outage is over'));
    await expect.poll(inState({ $eq: 'succeeded' }), { timeout: 30_000 }).toBe(total);
    expect(workers.isOut()).toBe(false);
    expect(new Set(received).size).toBe(total);
    expect(received).toHaveLength(total);
  },
);
