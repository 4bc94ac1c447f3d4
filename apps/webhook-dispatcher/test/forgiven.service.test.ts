import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOutcomes, type Ended } from '../src/delivery/outcomes.ts';
import { openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

const FAILURES = 20;
const BACKLOG = 30;

let dispatcher: TestDispatcher;
beforeAll(async () => {
  dispatcher = await openTestDispatcher();
});
afterAll(() => dispatcher.close());

test('enables subscriptions that an outage of this service disabled, and requeues their skipped deliveries', async () => {
  const { deliveries, receivers, attemptPermits } = dispatcher.store.everyOrganization;
  const { organizationId, clinicIds } = dispatcher.practice;
  const { _id: subscriptionId } = await dispatcher.subscribe('http://127.0.0.1:9/');
  const documents = Array.from({ length: FAILURES + BACKLOG }, (_, index) => ({
    _id: `e-${index}`,
    organizationId,
    clinicId: clinicIds[0],
    subscriptionId,
    eventId: 'e',
    event: 'patient.created',
    kind: 'event' as const,
    createdTime: new Date(),
  }));
  await deliveries.insert(documents, new Date());
  const claimed = await deliveries.claim(documents.slice(0, FAILURES), 'token', 'worker');
  const outcome = {
    outcome: 'failed',
    cause: 'dns',
    reason: 'EAI_AGAIN',
    attemptTime: new Date(),
    duration: 1,
    timings: {},
  } as const;
  // Activation 1: the subscription has not been enabled again since it was created.
  const ended: Ended[] = claimed.map((delivery) => ({ delivery, outcome, activation: 1, wereFailures: 0 }));

  const disabled: string[] = [];
  const outcomes = createOutcomes({
    deliveries,
    receivers,
    attemptPermits,
    pauses: { firstMs: 1000, longestMs: 60_000 },
    onSlowed() {},
    onDisabled: (id) => disabled.push(id),
    onError(error) {
      throw error;
    },
  });
  const inState = async () => {
    const states = await dispatcher.database.collection('deliveries').find({ subscriptionId }).toArray();
    return Object.entries(Object.groupBy(states, ({ status }) => status))
      .map(([status, group]) => `${group?.length} ${status}`)
      .sort();
  };

  await Promise.all(ended.map((each) => outcomes.finish(each)));
  expect(disabled).toEqual([subscriptionId]);
  await expect.poll(inState).toEqual([`${FAILURES} failed`, `${BACKLOG} skipped`]);

  await Promise.all(ended.map((each) => outcomes.requeueEnded(each)));
  expect(await inState()).toEqual([`${FAILURES + BACKLOG} queued`]);
  const [subscription] = await dispatcher.practice.store.subscriptions.list();
  expect(subscription).toMatchObject({ active: true, consecutiveFailures: 0 });
  expect(subscription).not.toHaveProperty('disabledTime');
});
