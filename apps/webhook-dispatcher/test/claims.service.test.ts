import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Deliveries } from '@chairside/mongodb/dispatch';
import type { WholeStore } from '@chairside/mongodb/whole';
import { type RecordingReceiver, startRecordingReceiver } from '@chairside/test-support';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPermits } from '../src/delivery/attempt-permits.ts';
import { createDeliver } from '../src/delivery/deliver.ts';
import { createReceiverCache } from '../src/delivery/receiver-cache.ts';
import { createWait } from '../src/named-waits.ts';
import { Scheduler } from '../src/scheduler/scheduler.ts';
import { openTestDispatcher, quietWatch, type TestDispatcher } from './dispatcher.ts';

/** Maximum number of attempts in flight for a subscription: in general, and before its receiver has responded. */
const [CAP, FIRST] = [12, 4];

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

const count = (status: string) => dispatcher.database.collection('deliveries').countDocuments({ status });

const expectEachOnce = async (events: readonly string[]) => {
  await expect.poll(() => count('succeeded')).toBe(events.length);
  expect(receiver.posts.map(({ json }) => json.id).sort()).toEqual([...events].sort());
};

/** The store of the dispatcher, with some functions of `deliveries` replaced. */
const changing = (changes: (deliveries: Deliveries) => Partial<Deliveries>): WholeStore => {
  const { store } = dispatcher;
  const { deliveries } = store.everyOrganization;
  const changed = { ...deliveries, ...changes(deliveries) };
  return { ...store, everyOrganization: { ...store.everyOrganization, deliveries: changed } };
};

/** A store that loses the connection once, after the database has executed the operation and before it responds. */
const losing = (name: 'insert' | 'claim'): { store: WholeStore; hasLost: () => boolean } => {
  let hasLost = false;
  const store = changing((deliveries) => ({
    [name]: async (...args: unknown[]): Promise<unknown> => {
      const result = await (deliveries[name] as (...args: unknown[]) => Promise<unknown>)(...args);
      if (hasLost) return result;
      hasLost = true;
      throw new Error('the connection was lost');
    },
  }));
  return { store, hasLost: () => hasLost };
};

/** Makes the receiver hold its responses. The returned function sends them. */
const silence = () => {
  const held: ServerResponse[] = [];
  receiver.respond = (_post, response) => void held.push(response);
  return () => {
    receiver.respond = (_post, response) => void response.end();
    for (const response of held) response.end();
  };
};

test.each(['insert', 'claim'] as const)(
  'requeues the claims of an %s without a response, and sends each delivery once',
  async (name) => {
    const { store, hasLost } = losing(name);
    const response = silence();
    dispatcher.start({}, { store });
    const events = await dispatcher.createPatients(3 * CAP);
    // Deliveries without room on insert are claimed later.
    await expect.poll(() => count('queued')).toBe(3 * CAP - FIRST);
    await receiver.until((posts) => posts.length === FIRST);
    response();
    await expectEachOnce(events);
    expect(hasLost()).toBe(true);
    expect(await count('interrupted')).toBe(0);
  },
);

test('sends the deliveries of a claim without a response, even if requeuing them takes long', async () => {
  const { store } = losing('claim');
  const { deliveries } = store.everyOrganization;
  const slow: Deliveries = {
    ...deliveries,
    // This takes longer than the rest of a lane after a failure.
    release: async (claims) => {
      await setTimeout(1500);
      await deliveries.release(claims);
    },
  };
  const response = silence();
  dispatcher.start(
    {},
    { store: { ...store, everyOrganization: { ...store.everyOrganization, deliveries: slow } } },
  );
  const events = await dispatcher.createPatients(2 * CAP);
  await expect.poll(() => count('queued')).toBe(2 * CAP - FIRST);
  response();
  await expectEachOnce(events);
});

test('sends a delivery once, even if a page was read while it was being stored', async () => {
  const { everyOrganization } = dispatcher.store;
  const subscription = await dispatcher.subscribe(receiver.url);
  const sent: string[] = [];
  const receiverCache = createReceiverCache(everyOrganization.receivers);
  const deliver = createDeliver({
    ...everyOrganization,
    worker: 'worker',
    bodies: { expect() {}, of: async () => '{}' },
    receiverCache,
    sender: {
      async send({ headers }) {
        sent.push(headers['x-service-delivery-id'] ?? '');
        return { attemptTime: new Date(), duration: 1, timings: {}, statusCode: 200, outcome: 'succeeded' };
      },
    },
    outbound: { check: async () => 'allowed' },
    outage: quietWatch(),
    pauses: { firstMs: 0, longestMs: 0 },
    onReport() {},
    onSlowed() {},
    onDisabled() {},
    onError() {},
  });
  const { promise: pageIsRead, resolve: onPage } = Promise.withResolvers<void>();
  const lanes = new Scheduler({
    ...everyOrganization,
    worker: 'worker',
    isHolding: false,
    deliver,
    deliveries: {
      ...everyOrganization.deliveries,
      async insert(...args) {
        const others = await everyOrganization.deliveries.insert(...args);
        // The deliveries are stored. Before the insert returns, the lane reads its backlog.
        void lanes.open([common]);
        await pageIsRead;
        return others;
      },
      requested: async () => [],
      async queued(...args) {
        const page = await everyOrganization.deliveries.queued(...args);
        onPage();
        return page;
      },
    },
    permits: createPermits({ ...everyOrganization, receiverCache, onError() {} }),
    isOut: () => false,
    dispatchers: () => 1,
    onError() {},
  });
  const { organizationId, clinicIds } = dispatcher.practice;
  const common = { organizationId, clinicId: clinicIds[0], subscriptionId: subscription._id, eventId: 'e' };
  const ids = Array.from({ length: CAP + 1 }, (_, index) => `e-${index}`);
  await lanes.accept(
    ids.map((_id) => ({ ...common, _id, event: 'patient.created', kind: 'event' as const })),
  );
  await expect.poll(() => count('succeeded')).toBe(ids.length);
  lanes.pause();
  await lanes.stop();
  expect(sent.sort()).toEqual(ids.sort());
});

/** A dispatcher that has claimed ahead for a fast receiver, which then stops responding. */
const fallSilent = async () => {
  const released: string[] = [];
  const store = changing(({ release }) => ({
    release(claims) {
      released.push(...claims.map(({ _id }) => _id));
      return release(claims);
    },
  }));
  const workers = dispatcher.start({}, { store });
  const first = await dispatcher.createPatients(3 * CAP);
  await expectEachOnce(first);
  const response = silence();
  released.length = 0;
  const second = await dispatcher.createPatients(5 * CAP);
  await receiver.until((posts) => posts.length >= first.length + CAP);
  return { workers, released, events: [...first, ...second], response };
};

test('returns claims to the queue once when a fast receiver stops responding', async () => {
  const { released, events, response } = await fallSilent();
  await expect.poll(() => count('sending')).toBe(CAP);
  // While the receiver does not respond, nothing is claimed ahead, so nothing is returned twice. Later it may fall silent again:
  // it shares this process, which may be slow.
  expect(released).toHaveLength(new Set(released).size);
  response();
  await expectEachOnce(events);
});

test('leaves no claim on shutdown, and another dispatcher continues', async () => {
  const { workers, events, response } = await fallSilent();
  const stopped = workers.stop(createWait().waitFor);
  response();
  await stopped;
  expect(await count('sending')).toBe(0);
  dispatcher.start();
  await expectEachOnce(events);
});
