import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliveriesIn, openTestDispatcher, type TestDispatcher } from './dispatcher.ts';
import { closeServers, HOSTS, withoutDns } from './network.ts';

const SECONDS = 60;

let dispatcher: TestDispatcher;
beforeAll(async () => {
  dispatcher = await openTestDispatcher();
});
afterAll(async () => {
  await dispatcher.close();
  closeServers();
});

test('names cannot be looked up for a minute amid writes: nobody is disabled, nothing is lost or sent twice', {
  timeout: 180_000,
}, async () => {
  const received: string[] = [];
  const { urls, restore, ...network } = await withoutDns(received);
  for (const url of urls) await dispatcher.subscribe(url);
  dispatcher.start({}, network);
  let written = 0;
  for (let second = 0; second < SECONDS; second++) {
    written += (await dispatcher.createPatients(5)).length;
    await setTimeout(1000);
  }
  await restore();
  const deliveries = dispatcher.database.collection('deliveries');
  const total = HOSTS * written;
  await expect
    .poll(() => deliveries.countDocuments({ status: 'succeeded' }), { timeout: 60_000 })
    .toBe(total);
  expect(received).toHaveLength(total);
  expect(new Set(received).size).toBe(total);
  const subscriptions = await dispatcher.practice.store.subscriptions.list();
  expect(subscriptions.map(({ active }) => active)).toEqual(Array(HOSTS).fill(true));
  const succeeded = deliveriesIn(dispatcher.logs).filter(({ outcome }) => outcome === 'succeeded');
  expect(succeeded).toHaveLength(total);
});
