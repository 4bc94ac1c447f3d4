import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBodies } from '../src/delivery/bodies.ts';
import { createDeliver } from '../src/delivery/deliver.ts';
import { createOutcomes } from '../src/delivery/outcomes.ts';
import { createReceiverCache } from '../src/delivery/receiver-cache.ts';
import { createOutageWatch } from '../src/outage/outage-watch.ts';
import { openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

let dispatcher: TestDispatcher;
beforeAll(async () => {
  dispatcher = await openTestDispatcher();
});
afterAll(() => dispatcher.close());

/**
 * Sends one delivery whose event is not in the log, with a database that refuses its outcome this many times.
 *
 * @param createdTime when the delivery was created; default: so long ago that its event is gone, and it is skipped
 */
const deliverRefused = async (refusals: number, createdTime = new Date(0)) => {
  const { everyOrganization } = dispatcher.store;
  const { _id: subscriptionId } = await dispatcher.subscribe('http://127.0.0.1:9/');
  const delivery = {
    _id: `refused-${refusals}-${createdTime.getTime()}`,
    organizationId: dispatcher.practice.organizationId,
    clinicId: dispatcher.practice.clinicIds[0],
    subscriptionId,
    eventId: 'gone',
    event: 'patient.created',
    kind: 'event' as const,
    createdTime,
  };
  await everyOrganization.deliveries.insert([delivery], createdTime);
  const errors: unknown[] = [];
  let left = refusals;
  const deliver = createDeliver({
    ...everyOrganization,
    deliveries: {
      ...everyOrganization.deliveries,
      async finish(...ended) {
        if (left-- > 0) throw new Error('refused');
        await everyOrganization.deliveries.finish(...ended);
      },
    },
    worker: 'worker',
    bodies: createBodies(everyOrganization.events),
    receiverCache: createReceiverCache(everyOrganization.receivers),
    sender: { send: () => Promise.reject(new Error('there is nothing to send')) },
    outage: createOutageWatch({ probe: async () => 'silent', onChange() {}, onVeto() {} }),
    onReport: () => {},
    onDisabled: () => {},
    onError: (error) => void errors.push(error),
  });
  const claimed = await deliver.claim(delivery);
  if (claimed === undefined) throw new Error('not claimed');
  const delivered = deliver.send(claimed, Number.POSITIVE_INFINITY);
  const status = async () => {
    await delivered.catch(() => {});
    return (await dispatcher.practice.store.deliveries.find(delivery._id))?.outcome;
  };
  return { delivered, status, errors };
};

test('returns a new delivery whose event has not entered the log yet to the queue', async () => {
  const { delivered, status } = await deliverRefused(0, new Date());
  await expect(delivered).rejects.toThrow('not in the log yet');
  expect(await status()).toBe('queued');
});

test('resets the streak of a subscription only if there is one', async () => {
  const { deliveries, receivers } = dispatcher.store.everyOrganization;
  const { _id: subscriptionId } = await dispatcher.subscribe('http://127.0.0.1:9/');
  const cleared: (readonly string[])[] = [];
  const outcomes = createOutcomes({
    deliveries,
    receivers: {
      ...receivers,
      async clearStreaks(ids) {
        cleared.push(ids);
        await receivers.clearStreaks(ids);
      },
    },
    onDisabled() {},
    onError(error) {
      throw error;
    },
  });
  const delivery = {
    _id: 'of the streak',
    organizationId: dispatcher.practice.organizationId,
    clinicId: dispatcher.practice.clinicIds[0],
    subscriptionId,
    eventId: 'e',
    event: 'patient.created',
    kind: 'event' as const,
    createdTime: new Date(),
    token: 't',
  };
  const attempt = { attemptTime: new Date(), duration: 1, timings: {} };
  const succeed = (wasFailing = false) => {
    const outcome = { ...attempt, outcome: 'succeeded', statusCode: 200 } as const;
    return outcomes.finish({ delivery, outcome, activation: 1, wasFailing });
  };
  const fail = () => {
    const outcome = { ...attempt, outcome: 'failed', cause: 'tls', reason: 'r' } as const;
    return outcomes.finish({ delivery, outcome, activation: 1, wasFailing: false });
  };
  const failuresInARow = async () =>
    (await dispatcher.practice.store.subscriptions.find(subscriptionId))?.consecutiveFailures;

  await succeed();
  expect(cleared).toEqual([]);
  await fail();
  expect(await failuresInARow()).toBe(1);
  // The receiver of this attempt was read before the failure was stored.
  await succeed();
  expect([cleared.length, await failuresInARow()]).toEqual([1, 0]);
  await succeed();
  expect(cleared).toHaveLength(1);
  // Another process has stored a failure before the receiver was read.
  await succeed(true);
  expect(cleared).toHaveLength(2);
});

test('keeps an outcome that the database refuses temporarily, and stores it later', async () => {
  const { delivered, status, errors } = await deliverRefused(2);
  await expect(delivered).resolves.toMatchObject({ requeued: [] });
  expect(await status()).toBe('skipped');
  expect(errors).toHaveLength(2);
});

// An unhandled rejection would end the process. Here it fails the test run.
test('rejects if the database refuses an outcome permanently, and causes no unhandled rejection', async () => {
  const { delivered, status } = await deliverRefused(1000);
  await expect(delivered).rejects.toThrow('refused');
  expect(await status()).toBe('sending');
});

test('stores the other outcomes of a group if the database refuses one', async () => {
  const { deliveries, receivers } = dispatcher.store.everyOrganization;
  const { _id: subscriptionId } = await dispatcher.subscribe('http://127.0.0.1:9/');
  const { organizationId, clinicIds } = dispatcher.practice;
  const common = { organizationId, clinicId: clinicIds[0], subscriptionId, eventId: 'gone' };
  const documents = ['good-1', 'poison', 'good-2'].map((_id) => ({
    ...common,
    _id,
    event: 'patient.created',
    kind: 'event' as const,
    createdTime: new Date(0),
  }));
  await deliveries.insert(documents, new Date());
  const claimed = await deliveries.claim(documents, 'token', 'worker');
  const outcomes = createOutcomes({
    receivers,
    deliveries: {
      ...deliveries,
      async finish(ended, now) {
        if (ended.some(({ delivery }) => delivery._id === 'poison')) throw new Error('too large');
        await deliveries.finish(ended, now);
      },
    },
    onDisabled() {},
    onError() {},
  });
  const outcome = { outcome: 'skipped', cause: 'event_gone' } as const;
  const results = await Promise.allSettled(
    claimed.map((delivery) => outcomes.finish({ delivery, outcome, activation: 0, wasFailing: false })),
  );
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  const stored = await dispatcher.database
    .collection('deliveries')
    .find({ subscriptionId }, { sort: { _id: 1 } })
    .toArray();
  expect(stored.map(({ status }) => status)).toEqual(['skipped', 'skipped', 'sending']);
});

test('distinguishes two claims of one delivery in a group: a returned claim does not affect the next one', async () => {
  const { deliveries, receivers } = dispatcher.store.everyOrganization;
  const { _id: subscriptionId } = await dispatcher.subscribe('http://127.0.0.1:9/');
  const { organizationId, clinicIds } = dispatcher.practice;
  const common = { organizationId, clinicId: clinicIds[0], subscriptionId, eventId: 'e' };
  const documents = ['again', 'other'].map((_id) => ({
    ...common,
    _id,
    event: 'patient.created',
    kind: 'event' as const,
    createdTime: new Date(0),
  }));
  await deliveries.insert(documents, new Date());
  const [lost] = await deliveries.claim(documents.slice(0, 1), 'lost', 'worker');
  await deliveries.release(lost ? [lost] : []);
  const [again, other] = await deliveries.claim(documents, 'second', 'worker');
  if (lost === undefined || again === undefined || other === undefined) throw new Error('not claimed');
  const outcomes = createOutcomes({
    deliveries,
    receivers,
    onDisabled() {},
    onError(error) {
      throw error;
    },
  });
  const skipped = { outcome: 'skipped', cause: 'event_gone' } as const;
  const succeeded = {
    outcome: 'succeeded',
    statusCode: 200,
    attemptTime: new Date(),
    duration: 1,
    timings: {},
  } as const;
  await Promise.all([
    outcomes.finish({ delivery: lost, outcome: skipped, activation: 0, wasFailing: false }),
    outcomes.finish({ delivery: again, outcome: succeeded, activation: 1, wasFailing: false }),
    outcomes.requeue({ ...lost }),
    outcomes.finish({ delivery: other, outcome: skipped, activation: 0, wasFailing: false }),
  ]);
  const stored = await dispatcher.database
    .collection('deliveries')
    .find({ subscriptionId }, { sort: { _id: 1 } })
    .toArray();
  expect(stored.map(({ _id, status }) => `${_id} ${status}`)).toEqual(['again succeeded', 'other skipped']);
});
