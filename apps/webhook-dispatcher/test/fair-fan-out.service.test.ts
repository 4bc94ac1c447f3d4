import { createPractice, type RecordingReceiver, startRecordingReceiver } from '@chairside/test-support';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

let dispatcher: TestDispatcher;
let receiver: RecordingReceiver;
beforeEach(async () => {
  dispatcher = await openTestDispatcher();
  receiver = await startRecordingReceiver({ keepsBodies: false });
});
afterEach(async () => {
  await dispatcher.close();
  await receiver.close();
});

const SUBSCRIPTIONS = 20;
const EVENTS = 600;

test('the event of one organization does not wait for those of another with many subscriptions', async () => {
  for (let index = 0; index < SUBSCRIPTIONS; index++) await dispatcher.subscribe(receiver.url);
  const other = await createPractice(dispatcher.store);
  const sent = { clinicId: other.clinicIds[0], url: `${receiver.url}/other`, events: [], active: true };
  expect(await other.store.subscriptions.create(sent, new Date())).toBeDefined();
  // All of these jobs are in Redis before the job of the other organization.
  await dispatcher.createPatients(EVENTS);
  await dispatcher.createPatientsOf(other, 1);
  dispatcher.start();
  await receiver.until((posts) => posts.some(({ path }) => path.endsWith('/other')));
  const deliveries = dispatcher.database.collection('deliveries');
  const only = await deliveries.findOne({ organizationId: other.organizationId });
  const { organizationId } = dispatcher.practice;
  const before = await deliveries.countDocuments({
    organizationId,
    createdTime: { $lte: only?.createdTime },
  });
  expect(before).toBeLessThan((EVENTS * SUBSCRIPTIONS) / 4);
});
