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

test('a minute without DNS disables no subscription, loses no event and sends none twice', async () => {
  const received: string[] = [];
  const { urls, cut, restore, ...network } = await withoutDns(received);
  for (const url of urls) await dispatcher.subscribe(url);
  dispatcher.start({}, network);
  const byStatus = async () => {
    const all = await dispatcher.database.collection('deliveries').find().toArray();
    return Object.fromEntries(
      Object.entries(Object.groupBy(all, ({ status, cause = '' }) => `${status} ${cause}`.trim())).map(
        ([status, of]) => [status, of?.length],
      ),
    );
  };
  let written = (await dispatcher.createPatients(1)).length;
  await expect.poll(byStatus).toEqual({ succeeded: HOSTS });
  cut();
  for (let second = 0; second < SECONDS; second++) {
    written += (await dispatcher.createPatients(5)).length;
    await setTimeout(1000);
  }
  await restore();
  const total = HOSTS * written;
  // On a machine with much other work, a response may take longer than an attempt. Nothing but this may fail.
  const LATE = 'failed timeout';
  await expect
    .poll(async () => {
      const { succeeded = 0, [LATE]: late = 0, ...others } = await byStatus();
      return { ended: succeeded + late, ...others };
    })
    .toEqual({ ended: total });
  expect(received).toHaveLength(total);
  expect(new Set(received).size).toBe(total);
  const subscriptions = await dispatcher.practice.store.subscriptions.list();
  expect(subscriptions.map(({ active }) => active)).toEqual(Array(HOSTS).fill(true));
  // An attempt that could not begin before the outage was found has a line of its own.
  const logged = deliveriesIn(dispatcher.logs).map(({ _id }) => _id);
  expect(new Set(logged).size).toBe(total);
});
