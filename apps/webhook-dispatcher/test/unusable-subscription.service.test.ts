import { type RecordingReceiver, startRecordingReceiver } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliveriesIn, type LogLine, openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

let dispatcher: TestDispatcher;
let receiver: RecordingReceiver;
beforeAll(async () => {
  dispatcher = await openTestDispatcher();
  receiver = await startRecordingReceiver();
  dispatcher.start();
});
afterAll(async () => {
  await dispatcher.close();
  await receiver.close();
});

const subscriptions = () =>
  dispatcher.database.collection<{ _id: string; secret: unknown; url: unknown }>('subscriptions');

test.each([
  ['secret cannot be decrypted', { secret: 'v1:gone:AAAA' }],
  ['secret cannot be decrypted', { secret: 7 }],
  ['URL is not valid', { url: 'https://' }],
  ['URL is not valid', { url: null }],
  ['URL is not valid', { url: 'ftp://example.com/' }],
])('a delivery whose subscription’s %s fails once, and adds to the streak (%j)', async (problem, stored) => {
  dispatcher.logs.splice(0);
  receiver.posts.splice(0);
  const [usable, unusable] = [
    await dispatcher.subscribe(receiver.url),
    await dispatcher.subscribe(receiver.url),
  ];
  await subscriptions().updateOne({ _id: unusable._id }, { $set: stored });
  const events = await dispatcher.createPatients(25);
  await dispatcher.untilLogged((logs) => logs.some(({ msg }) => msg === 'subscription disabled'));
  await receiver.until((posts) => posts.length === 25);
  const deliveries = dispatcher.database.collection('deliveries');
  const open = () => deliveries.countDocuments({ status: { $in: ['queued', 'sending'] } });
  await expect.poll(open).toBe(0);
  expect(receiver.posts.map(({ json }) => json.id).sort()).toEqual(events.sort());

  const failuresIn = (logs: readonly LogLine[]) =>
    deliveriesIn(logs).filter(({ outcome }) => outcome === 'failed');
  const failed = failuresIn(await dispatcher.untilLogged((logs) => failuresIn(logs).length >= 20));
  for (const line of failed) {
    expect(line).toMatchObject({
      subscriptionId: unusable._id,
      cause: 'configuration',
      reason: `The subscription's ${problem}.`,
    });
  }
  expect(dispatcher.logs.filter(({ msg }) => msg === 'worker error')).toEqual([]);
  const found = await subscriptions().findOne({ _id: unusable._id });
  expect(found).toMatchObject({ active: false, disabledReason: expect.stringContaining('cannot be used') });
  for (const { _id } of [usable, unusable]) await dispatcher.practice.store.subscriptions.delete(_id);
});

test('a delivery from which no valid request can be built fails once', async () => {
  dispatcher.logs.splice(0);
  const { _id: subscriptionId } = await dispatcher.subscribe(receiver.url);
  const { deliveries, laneRequests } = dispatcher.store.everyOrganization;
  const { organizationId, clinicIds } = dispatcher.practice;
  const [eventId = ''] = await dispatcher.createPatients(1);
  const common = {
    organizationId,
    clinicId: clinicIds[0],
    subscriptionId,
    eventId,
    kind: 'redelivery' as const,
  };
  const broken = `${eventId}-broken`;
  await deliveries.insert([{ ...common, _id: broken, event: 'line\nbreak' }], new Date());
  await laneRequests.request(common, broken);
  await dispatcher.untilLogged((logs) => deliveriesIn(logs).length === 2);
  expect(deliveriesIn(dispatcher.logs).find(({ _id }) => _id === broken)).toMatchObject({
    outcome: 'failed',
    cause: 'configuration',
  });
  await dispatcher.practice.store.subscriptions.delete(subscriptionId);
});

test('an event whose body is not text counts as missing', async () => {
  const { organizationId } = dispatcher.practice;
  const odd = { _id: 'odd', organizationId };
  await dispatcher.database.collection<typeof odd>('events').insertOne({ ...odd, body: 7 } as typeof odd);
  expect(await dispatcher.store.everyOrganization.events.bodies([odd])).toEqual(new Map());
});
