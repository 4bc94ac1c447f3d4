import type { ClaimedDelivery } from '@chairside/mongodb/dispatch';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBodies } from '../src/delivery/bodies.ts';
import { createDeliver } from '../src/delivery/deliver.ts';
import { createOutcomes } from '../src/delivery/outcomes.ts';
import { createReceiverCache } from '../src/delivery/receiver-cache.ts';
import { openTestDispatcher, quietWatch, type TestDispatcher } from './dispatcher.ts';

let dispatcher: TestDispatcher;
beforeAll(async () => {
  dispatcher = await openTestDispatcher();
});
afterAll(() => dispatcher.close());

const NO_PAUSES = { firstMs: 0, longestMs: 0 };

/**
 * Sends one delivery whose event is not in the log, with a database that refuses its outcome this many times.
 *
 * @param active whether the subscription is active; otherwise the delivery is skipped
 */
const deliverRefused = async (refusals: number, active = false) => {
  const { everyOrganization } = dispatcher.store;
  const { _id: subscriptionId } = await dispatcher.subscribe('http://127.0.0.1:9/');
  await dispatcher.practice.store.subscriptions.update(subscriptionId, { active }, new Date());
  const createdTime = new Date(0);
  const delivery = {
    _id: `gone-${subscriptionId}`,
    organizationId: dispatcher.practice.organizationId,
    clinicId: dispatcher.practice.clinicIds[0],
    subscriptionId,
    eventId: 'gone',
    event: 'patient.created',
    kind: 'event' as const,
    createdTime,
  };
  await everyOrganization.deliveries.insert([delivery], createdTime);
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
    outbound: { check: async () => 'allowed' },
    outage: quietWatch(),
    pauses: NO_PAUSES,
    onReport: () => {},
    onSlowed: () => {},
    onDisabled: () => {},
    onError() {},
  });
  const claimed = await deliver.claim(delivery);
  if (claimed === undefined) throw new Error('not claimed');
  const delivered = deliver.send(claimed, { deadline: Number.POSITIVE_INFINITY });
  const status = async () => {
    await delivered.catch(() => {});
    return (await dispatcher.practice.store.deliveries.find(delivery._id))?.outcome;
  };
  return { deliver, delivered, status };
};

test('returns a delivery whose event has not entered the log yet to the queue', async () => {
  const { delivered, status } = await deliverRefused(0, true);
  await expect(delivered).rejects.toThrow('not in the log yet');
  expect(await status()).toBe('queued');
});

test('resets the streak of a subscription only if there is one', async () => {
  const { deliveries, receivers, attemptPermits } = dispatcher.store.everyOrganization;
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
    attemptPermits,
    pauses: NO_PAUSES,
    onSlowed() {},
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
  const succeed = (wereFailures = 0) => {
    const outcome = { ...attempt, outcome: 'succeeded', statusCode: 200 } as const;
    return outcomes.finish({ delivery, outcome, activation: 1, wereFailures });
  };
  const fail = () => {
    const outcome = { ...attempt, outcome: 'failed', cause: 'tls', reason: 'r' } as const;
    return outcomes.finish({ delivery, outcome, activation: 1, wereFailures: 0 });
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
  await succeed(1);
  expect(cleared).toHaveLength(2);
});

test('sets an outcome aside that the database refuses, and stores it when the refusals have ended', async () => {
  const { delivered, deliver, status } = await deliverRefused(1);
  await delivered;
  expect([deliver.refusedOutcomes(), await status()]).toEqual([1, 'sending']);
  await deliver.stop();
  expect([deliver.refusedOutcomes(), await status()]).toEqual([0, 'skipped']);
});

const unavailable = () => Object.assign(new Error('x'), { code: 'ECONNRESET' });

test.each([
  ['refuses', () => new Error('too large'), 12],
  ['is unavailable for', unavailable, 40],
] as const)(
  'stores the other outcomes of a group at once if there is one that the database %s',
  async (_how, failure, times) => {
    const { deliveries, receivers, attemptPermits } = dispatcher.store.everyOrganization;
    const { _id: subscriptionId } = await dispatcher.subscribe('http://127.0.0.1:9/');
    const { organizationId, clinicIds } = dispatcher.practice;
    const common = { organizationId, clinicId: clinicIds[0], subscriptionId, eventId: 'gone' };
    const names = Array.from({ length: 9 }, (_, index) => `gone-${subscriptionId}-${index}`);
    const poison = names[4];
    const documents = names.map((_id) => ({
      ...common,
      _id,
      event: 'patient.created',
      kind: 'event' as const,
      createdTime: new Date(0),
    }));
    await deliveries.insert(documents, new Date());
    const claimed = await deliveries.claim(documents, 'token', 'worker');
    const statuses = async () => {
      const stored = await dispatcher.database
        .collection<{ _id: string; status: string }>('deliveries')
        .find({ subscriptionId }, { sort: { _id: 1 } })
        .toArray();
      return stored.map(({ status }) => status);
    };
    const rests: number[] = [];
    let left: number = times;
    let before: string[] = [];
    const outcomes = createOutcomes({
      receivers,
      deliveries: {
        ...deliveries,
        async finish(ended, now) {
          if (ended.some(({ delivery }) => delivery._id === poison)) {
            // What is stored while the refused outcome is alone.
            if (ended.length === 1) before = await statuses();
            if (left-- > 0) throw failure();
          }
          await deliveries.finish(ended, now);
        },
      },
      attemptPermits,
      pauses: NO_PAUSES,
      onSlowed() {},
      onDisabled() {},
      onError() {},
      pause: async (milliseconds) => void rests.push(milliseconds),
    });
    const outcome = { outcome: 'skipped', cause: 'event_gone' } as const;
    await Promise.all(
      claimed.map((delivery) => outcomes.finish({ delivery, outcome, activation: 0, wereFailures: 0 })),
    );
    await outcomes.stop();
    expect(await statuses()).toEqual(Array(9).fill('skipped'));
    expect(before).toEqual(names.map((name) => (name === poison ? 'sending' : 'skipped')));
    const together = times > 12 ? [1000, 2000, 4000] : [];
    const alone = [1000, 2000, 4000, 8000, ...Array(40).fill(10_000)];
    expect(rests).toEqual([...together, ...alone].slice(0, rests.length));
    expect(rests.length).toBeGreaterThan(together.length);
  },
);

test('beyond a thousand, a refused outcome keeps the place of its delivery, and none is given up', async () => {
  let refuses = true;
  let stored = 0;
  const ended = Promise.withResolvers<void>();
  const { attemptPermits } = dispatcher.store.everyOrganization;
  const outcomes = createOutcomes({
    receivers: dispatcher.store.everyOrganization.receivers,
    deliveries: {
      ...dispatcher.store.everyOrganization.deliveries,
      async finish(group) {
        if (refuses) throw new Error('refused');
        stored += group.length;
      },
    },
    attemptPermits,
    pauses: NO_PAUSES,
    onSlowed() {},
    onDisabled() {},
    onError() {},
    pause: () => ended.promise,
  });
  let done = 0;
  const finishing = Array.from({ length: 1100 }, async (_, index) => {
    const delivery = { _id: `${index}`, token: 't', kind: 'test' as const } as ClaimedDelivery;
    const outcome = { outcome: 'skipped', cause: 'event_gone' } as const;
    await outcomes.finish({ delivery, outcome, activation: 0, wereFailures: 0 });
    done++;
  });
  await expect.poll(() => [done, outcomes.aside()]).toEqual([1000, 1000]);
  refuses = false;
  ended.resolve();
  await Promise.all(finishing);
  await outcomes.stop();
  expect([stored, outcomes.aside()]).toEqual([1100, 0]);
});

test('distinguishes two claims of one delivery in a group: a returned claim does not affect the next one', async () => {
  const { deliveries, receivers, attemptPermits } = dispatcher.store.everyOrganization;
  const { _id: subscriptionId } = await dispatcher.subscribe('http://127.0.0.1:9/');
  const { organizationId, clinicIds } = dispatcher.practice;
  const common = { organizationId, clinicId: clinicIds[0], subscriptionId, eventId: 'e' };
  const documents = ['e-again', 'e-other'].map((_id) => ({
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
    attemptPermits,
    pauses: NO_PAUSES,
    onSlowed() {},
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
    outcomes.finish({ delivery: lost, outcome: skipped, activation: 0, wereFailures: 0 }),
    outcomes.finish({ delivery: again, outcome: succeeded, activation: 1, wereFailures: 0 }),
    outcomes.requeue({ ...lost }),
    outcomes.finish({ delivery: other, outcome: skipped, activation: 0, wereFailures: 0 }),
  ]);
  const stored = await dispatcher.database
    .collection('deliveries')
    .find({ subscriptionId }, { sort: { _id: 1 } })
    .toArray();
  expect(stored.map(({ _id, status }) => `${_id} ${status}`)).toEqual([
    'e-again succeeded',
    'e-other skipped',
  ]);
});
