import { type EventProducer, openEventProducer } from '@chairside/queue';
import { type RecordingReceiver, startRecordingReceiver, testEngines } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

const PATIENTS = 100;

let dispatcher: TestDispatcher;
let receiver: RecordingReceiver;
let again: EventProducer;
beforeAll(async () => {
  dispatcher = await openTestDispatcher();
  receiver = await startRecordingReceiver();
});
afterAll(async () => {
  await dispatcher.close();
  await again.close();
  await receiver.close();
});

test('two dispatchers that fan out the same events concurrently create one delivery and one attempt for each', async () => {
  const subscription = await dispatcher.subscribe(receiver.url);
  const eventIds = await dispatcher.createPatients(PATIENTS);

  // The same events go into a second queue. In one queue, one dispatcher could get both jobs of an event.
  const prefix = dispatcher.redisPrefix.replace('}', '_again}');
  const { redisUrl: url } = testEngines();
  again = openEventProducer({ url, prefix, onUnavailable() {}, onAvailable() {} });
  await expect.poll(() => again.isReady()).toBe(true);
  const records = await dispatcher.database.collection('patients').find().toArray();
  for (const { _id, organizationId, outbox } of records) {
    const recordId = String(_id);
    again.publish({
      organizationId,
      kind: 'patient',
      recordId,
      eventId: outbox[0]._id,
      clinicIds: outbox[0].clinicIds,
    });
  }
  for (const REDIS_PREFIX of [dispatcher.redisPrefix, prefix]) dispatcher.start({ REDIS_PREFIX });

  const deliveries = dispatcher.database.collection('deliveries');
  const succeeded = () => deliveries.countDocuments({ status: 'succeeded' });
  await expect.poll(succeeded).toBe(PATIENTS);
  const left = () =>
    dispatcher.database.collection('patients').countDocuments({ outboxAt: { $exists: true } });
  await expect.poll(left).toBe(0);
  const attempted = receiver.posts.map(({ headers }) => headers['x-service-delivery-id']);
  expect(attempted.sort()).toEqual(eventIds.map((id) => `${id}-${subscription._id}`).sort());
  expect(await deliveries.countDocuments()).toBe(PATIENTS);
  expect(await dispatcher.database.collection('events').countDocuments()).toBe(PATIENTS);
});
