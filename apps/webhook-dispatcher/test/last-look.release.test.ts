import { deliveryId } from '@chairside/domain';
import { type RecordingReceiver, startRecordingReceiver } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

let dispatcher: TestDispatcher;
let receiver: RecordingReceiver;
beforeAll(async () => {
  dispatcher = await openTestDispatcher();
  receiver = await startRecordingReceiver();
});
afterAll(async () => {
  await dispatcher.close();
  await receiver.close();
});

test('a lane reads its backlog before it is closed, and sends a delivery that was not announced', async () => {
  const { _id: subscriptionId } = await dispatcher.subscribe(receiver.url);
  dispatcher.start();
  const [eventId = ''] = await dispatcher.createPatients(1);
  const deliveries = dispatcher.database.collection('deliveries');
  const succeeded = () => deliveries.countDocuments({ status: 'succeeded' });
  await expect.poll(succeeded).toBe(1);

  const { organizationId, clinicIds } = dispatcher.practice;
  const common = { organizationId, clinicId: clinicIds[0], subscriptionId, eventId };
  const _id = deliveryId(eventId, 'untold');
  const unreported = { ...common, _id, event: 'patient.created', kind: 'event' as const };
  await dispatcher.store.everyOrganization.deliveries.insert([unreported], new Date());
  await expect.poll(succeeded).toBe(2);
});
