import { setTimeout } from 'node:timers/promises';
import type { EveryOrganization, WholeStore } from '@chairside/mongodb/whole';
import { type RecordingReceiver, startRecordingReceiver } from '@chairside/test-support';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

let dispatcher: TestDispatcher;
let receiver: RecordingReceiver;
beforeEach(async () => {
  dispatcher = await openTestDispatcher();
  receiver = await startRecordingReceiver();
  await dispatcher.subscribe(receiver.url);
});
afterEach(async () => {
  await dispatcher.close();
  await receiver.close();
});

/** A store that waits before each call of its deliveries, receivers and events. */
const slow = (wait: (call: string) => Promise<unknown>): WholeStore => {
  const { store } = dispatcher;
  const slowed = <P extends 'deliveries' | 'receivers' | 'events'>(part: P): EveryOrganization[P] =>
    Object.fromEntries(
      Object.entries(store.everyOrganization[part]).map(([name, method]) => [
        name,
        async (...args: unknown[]) => {
          await wait(`${part}.${name}`);
          return (method as (...args: unknown[]) => unknown)(...args);
        },
      ]),
    ) as EveryOrganization[P];
  const { everyOrganization } = store;
  const parts = {
    deliveries: slowed('deliveries'),
    receivers: slowed('receivers'),
    events: slowed('events'),
  };
  return { ...store, everyOrganization: { ...everyOrganization, ...parts } };
};

const expectEachOnce = async (events: readonly string[]) => {
  const succeeded = { status: 'succeeded' };
  await expect
    .poll(() => dispatcher.database.collection('deliveries').countDocuments(succeeded))
    .toBe(events.length);
  expect(receiver.posts.map(({ json }) => json.id).sort()).toEqual([...events].sort());
};

test('half a second of latency of the database delays webhooks and has no other effect', async () => {
  dispatcher.start({}, { store: slow(() => setTimeout(500)) });
  await expectEachOnce(await dispatcher.createPatients(50));
});

test('sends nothing and loses nothing while a subscription cannot be read within a second', async () => {
  let reads = 0;
  const store = slow(async (call) => {
    const isRead = call === 'receivers.find' || call === 'receivers.inClinics';
    if (isRead && ++reads <= 3) await setTimeout(1000);
  });
  dispatcher.start({}, { store });
  const events = await dispatcher.createPatients(5);
  const tooLate = /was not read within a second/;
  await dispatcher.untilLogged((logs) => logs.some(({ err }) => tooLate.test(JSON.stringify(err) ?? '')));
  await expectEachOnce(events);
  expect(reads).toBeGreaterThan(3);
});
