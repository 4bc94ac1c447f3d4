import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RecordingReceiver, startRecordingReceiver } from '@chairside/test-support';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWait } from '../src/named-waits.ts';
import { openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

const EVENTS = 40;
/** So long that no test waits for it. */
const LONG_PAUSE = { FAILING_PAUSE_MS: '600000', FAILING_PAUSE_MAX_MS: '600000' };

let dispatcher: TestDispatcher;
let receiver: RecordingReceiver;
beforeEach(async () => {
  dispatcher = await openTestDispatcher();
  receiver = await startRecordingReceiver();
});
afterEach(async () => {
  await dispatcher.close();
  await receiver.close();
});

const deliveries = () => dispatcher.database.collection('deliveries');
const count = (filter: object) => deliveries().countDocuments(filter);
const subscriptionOf = async (_id: string) =>
  dispatcher.database.collection<{ _id: string }>('subscriptions').findOne({ _id });
const isSlowed = (logs: readonly { msg: string }[]) =>
  logs.some(({ msg }) => msg === 'subscription slowed down');

/** Makes the receiver respond with these status codes, each after this time. Records the number of POSTs at once. */
const respondWith = (statusOf: (index: number) => number, milliseconds = 0) => {
  let index = 0;
  let inFlight = 0;
  const state = { most: 0, statuses: [] as number[], inFlight: [] as number[] };
  receiver.respond = async (_post, response: ServerResponse) => {
    const status = statusOf(index++);
    state.statuses.push(status);
    state.inFlight.push(++inFlight);
    state.most = Math.max(state.most, inFlight);
    await sleep(milliseconds);
    inFlight--;
    response.writeHead(status).end();
  };
  return state;
};

test('a receiver that fails 12 times while it restarts loses 12 deliveries, and each event is sent once', async () => {
  dispatcher.start();
  const state = respondWith((index) => (index < 12 ? 503 : 200));
  const { _id } = await dispatcher.subscribe(receiver.url);
  const events = await dispatcher.createPatients(EVENTS);
  await expect.poll(() => count({ status: 'succeeded' })).toBe(EVENTS - 12);
  expect(await count({ status: 'failed' })).toBe(12);
  expect(state.most).toBeLessThanOrEqual(12);
  expect(receiver.posts.map(({ json }) => json.id).sort()).toEqual(events.sort());
  expect(await subscriptionOf(_id)).toMatchObject({ active: true, consecutiveFailures: 0 });
  expect(await subscriptionOf(_id)).not.toHaveProperty('pause');
  expect(isSlowed(dispatcher.logs)).toBe(true);
  expect((await dispatcher.metrics.expose()).text).toContain('chairside_subscriptions_slowed_total 1');
});

test('a receiver that is away is slowed down after at most 12 failures, and the rest of the events wait', async () => {
  dispatcher.start(LONG_PAUSE);
  respondWith(() => 500);
  const { _id } = await dispatcher.subscribe(receiver.url);
  await dispatcher.createPatients(EVENTS);
  await dispatcher.untilLogged(isSlowed);
  await expect.poll(() => count({ status: 'sending' })).toBe(0);
  const failed = await count({ status: 'failed' });
  expect(failed).toBeGreaterThanOrEqual(5);
  expect(failed).toBeLessThanOrEqual(12);
  expect(await count({ status: 'queued' })).toBe(EVENTS - failed);
  expect(await subscriptionOf(_id)).toMatchObject({ active: true, consecutiveFailures: failed });
});

test('twenty failures disable it in the end, one attempt at a time over four dispatchers', async () => {
  for (let number = 0; number < 4; number++) dispatcher.start();
  const state = respondWith(() => 500, 5);
  const { _id } = await dispatcher.subscribe(receiver.url);
  await dispatcher.createPatients(EVENTS);
  await dispatcher.untilLogged((logs) => logs.some(({ msg }) => msg === 'subscription disabled'));
  await expect.poll(() => count({ status: { $in: ['queued', 'sending'] } })).toBe(0);
  expect(await subscriptionOf(_id)).toMatchObject({ active: false, consecutiveFailures: 20 });
  // The last attempts, which began long after the fifth failure.
  expect(state.inFlight.slice(-5)).toEqual([1, 1, 1, 1, 1]);
  expect(state.statuses).toHaveLength(20);
});

/** Stores a test of a subscription, as the api does. */
const sendTest = (subscription: { _id: string; clinicId: string }) =>
  dispatcher.practice.store.deliveries.test(subscription, { kind: 'operator' }, new Date());

test('a test is sent at once during a pause, before the events; its success ends the waiting only', async () => {
  dispatcher.start(LONG_PAUSE);
  let status = 500;
  const state = respondWith(() => status, 5);
  const subscription = await dispatcher.subscribe(receiver.url);
  await dispatcher.createPatients(EVENTS);
  await dispatcher.untilLogged(isSlowed);
  await expect.poll(() => count({ status: 'sending' })).toBe(0);
  const failed = await count({ status: 'failed' });

  // A failed test ends neither the pause nor the streak.
  await sendTest(subscription);
  await expect.poll(() => count({ kind: 'test', status: 'failed' })).toBe(1);
  expect(await subscriptionOf(subscription._id)).toMatchObject({ consecutiveFailures: failed, pause: {} });
  expect(await count({ kind: 'event', status: 'queued' })).toBe(EVENTS - failed);

  status = 200;
  await sendTest(subscription);
  await expect.poll(() => count({ kind: 'event', status: 'succeeded' })).toBe(EVENTS - failed);
  const after = receiver.posts.slice(failed + 1).map(({ json }) => json.event);
  expect(after[0]).toMatch(/test|ping/);
  // The first event after the test is alone.
  expect(state.inFlight.slice(failed + 1, failed + 3)).toEqual([1, 1]);
  expect(await subscriptionOf(subscription._id)).toMatchObject({ consecutiveFailures: 0 });
});

test('a stopping dispatcher leaves no permit, so that another one continues at once', async () => {
  const first = dispatcher.start();
  const held: ServerResponse[] = [];
  let isHolding = false;
  receiver.respond = (_post, response) => {
    if (isHolding) held.push(response);
    else response.writeHead(500).end();
  };
  const { _id } = await dispatcher.subscribe(receiver.url);
  await dispatcher.createPatients(EVENTS);
  await dispatcher.untilLogged(isSlowed);
  // Attempts that began before the fifth failure need no permit.
  await expect.poll(() => count({ status: 'sending' })).toBe(0);
  isHolding = true;
  await expect.poll(() => held.length).toBe(1);
  const stopped = first.stop(createWait().waitFor);
  receiver.respond = (_post, response) => void response.end();
  held[0]?.end();
  await stopped;
  expect(await subscriptionOf(_id)).not.toHaveProperty('permit');
  dispatcher.start();
  await expect.poll(() => count({ status: 'queued' })).toBe(0);
});
