import { deliveryId } from '@chairside/domain';
import type { DeliveryFilter } from '@chairside/mongodb';
import { type RecordingReceiver, startRecordingReceiver } from '@chairside/test-support';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

let dispatcher: TestDispatcher;
let receiver: RecordingReceiver;
let status = 200;
beforeEach(async () => {
  dispatcher = await openTestDispatcher();
  receiver = await startRecordingReceiver();
  receiver.respond = (_post, response) => void response.writeHead(status).end('why');
  status = 200;
});
afterEach(async () => {
  await dispatcher.close();
  await receiver.close();
});

const log = () => dispatcher.practice.store.deliveries;
const page = (filter: DeliveryFilter) => Array.fromAsync(log().page(filter, {}, 100));
const inOutcome = async (outcome: 'failed' | 'succeeded', kind?: string) =>
  (await page({ outcome })).filter((each) => kind === undefined || each.kind === kind);
const untilMany = (outcome: 'failed' | 'succeeded', count: number, kind?: string) =>
  expect.poll(async () => (await inOutcome(outcome, kind)).length).toBe(count);

test('the state of a subscription follows its attempts of every kind', async () => {
  dispatcher.start({ FAILING_PAUSE_MS: '600000', FAILING_PAUSE_MAX_MS: '600000' });
  const subscription = await dispatcher.subscribe(receiver.url);
  const { subscriptions } = dispatcher.practice.store;
  const state = async () => (await subscriptions.find(subscription._id))?.state;
  expect(subscription.state).toBe('new');

  await dispatcher.createPatients(1);
  await untilMany('succeeded', 1);
  expect(await state()).toBe('healthy');
  status = 500;
  await dispatcher.createPatients(1);
  await untilMany('failed', 1);
  expect(await state()).toBe('failing');

  // A redelivery that succeeds shows that the receiver works, whatever the number of failures in a row.
  status = 200;
  const [lost] = await inOutcome('failed');
  if (lost === undefined) throw new Error('nothing failed');
  await log().redeliver('again', lost, new Date());
  await untilMany('succeeded', 1, 'redelivery');
  expect(await subscriptions.find(subscription._id)).toMatchObject({
    state: 'healthy',
    consecutiveFailures: 1,
  });

  status = 500;
  await dispatcher.createPatients(30);
  await dispatcher.untilLogged((logs) => logs.some(({ msg }) => msg === 'subscription slowed down'));
  await expect.poll(state).toBe('slowed');
  expect((await subscriptions.find(subscription._id))?.nextAttemptTime).toMatch(/T/);
  // The events have waited for a minute, and the first one after a test takes long.
  await dispatcher.database
    .collection('deliveries')
    .updateMany({ status: 'queued' }, { $set: { createdTime: new Date(Date.now() - 60_000) } });
  receiver.respond = (post, response) => {
    if (post.json.event === 'test.ping') response.end();
  };
  await log().test(subscription, { kind: 'operator' }, new Date());
  await untilMany('succeeded', 1, 'test');
  expect(await state()).toBe('recovering');
});

test('an operator switches a subscription off; failures disable it', async () => {
  dispatcher.start();
  const { subscriptions } = dispatcher.practice.store;
  const [off, failing] = [await dispatcher.subscribe(receiver.url), await dispatcher.subscribe(receiver.url)];
  await subscriptions.update(off._id, { active: false }, new Date());
  status = 410;
  await dispatcher.createPatients(25);
  await dispatcher.untilLogged((logs) => logs.some(({ msg }) => msg === 'subscription disabled'));
  const states = await subscriptions.list();
  expect(states.map(({ state }) => state)).toEqual(['off', 'disabled']);
  expect(states.find(({ _id }) => _id === failing._id)?.disabledReason).toContain('error status');
});

test('a failed delivery names its later redeliveries, and a list leaves out what was repeated with success', async () => {
  dispatcher.start();
  const subscription = await dispatcher.subscribe(receiver.url);
  status = 500;
  await dispatcher.createPatients(2);
  await untilMany('failed', 2);
  const [repaired, broken] = await inOutcome('failed');
  if (repaired === undefined || broken === undefined) throw new Error('too few failed');
  await log().redeliver('in vain', repaired, new Date());
  await untilMany('failed', 3);
  status = 200;
  await log().redeliver('with success', repaired, new Date());
  await untilMany('succeeded', 1);

  expect(await log().laterRedeliveries(repaired)).toMatchObject([
    { _id: deliveryId(repaired.eventId, 'with success'), outcome: 'succeeded' },
    { _id: deliveryId(repaired.eventId, 'in vain'), outcome: 'failed' },
  ]);
  expect(await log().laterRedeliveries(broken)).toEqual([]);
  const idsOf = async (filter: DeliveryFilter) => (await page(filter)).map(({ _id }) => _id);
  expect(await idsOf({ unrepaired: true })).toEqual([broken._id]);
  expect(await idsOf({ unrepaired: true, outcome: 'failed' })).toEqual([broken._id]);
  expect(await idsOf({ unrepaired: true, outcome: 'succeeded' })).toEqual([]);
  expect(await idsOf({ unrepaired: true, subscriptionId: subscription._id, cause: 'timeout' })).toEqual([]);
  const [first] = await Array.fromAsync(log().page({ unrepaired: true }, {}, 1));
  expect(first?._id).toBe(broken._id);
});

test('a bulk redelivery counts what became of its deliveries', async () => {
  dispatcher.start();
  const subscription = await dispatcher.subscribe(receiver.url);
  status = 500;
  await dispatcher.createPatients(4);
  await untilMany('failed', 4);
  let posts = 0;
  receiver.respond = (_post, response) => void response.writeHead(posts++ === 0 ? 500 : 200).end();
  const request = { since: new Date(Date.now() - 60_000).toISOString(), outcomes: ['failed' as const] };
  const started = await log().redeliverMany('bulk', subscription._id, request, new Date());
  expect(started).toMatchObject({ state: 'running', made: 0, waiting: 0, succeeded: 0, failed: 0 });
  const found = () => log().findRedelivery(subscription._id, 'bulk');
  await expect.poll(found).toMatchObject({ state: 'done', made: 4, waiting: 0, succeeded: 3, failed: 1 });
  const [listed] = await Array.fromAsync(log().redeliveries(subscription._id, undefined, 10));
  expect(listed).toMatchObject({ succeeded: 3, failed: 1 });
});

test('a bulk redelivery leaves out what was repeated with success, if it is asked to', async () => {
  dispatcher.start();
  const subscription = await dispatcher.subscribe(receiver.url);
  status = 500;
  await dispatcher.createPatients(3);
  await untilMany('failed', 3);
  const [repaired, failing] = await inOutcome('failed');
  if (repaired === undefined || failing === undefined) throw new Error('too few failed');
  await log().redeliver('in vain', failing, new Date());
  await untilMany('failed', 4);
  status = 200;
  await log().redeliver('with success', repaired, new Date());
  await untilMany('succeeded', 1);

  const since = new Date(Date.now() - 60_000).toISOString();
  const outcomes = ['failed' as const, 'succeeded' as const];
  const done = async (id: string, unrepaired?: boolean) => {
    await log().redeliverMany(id, subscription._id, { since, outcomes, unrepaired }, new Date());
    const found = () => log().findRedelivery(subscription._id, id);
    await expect.poll(found).toMatchObject({ state: 'done', waiting: 0 });
    return found();
  };
  expect(await done('missed', true)).toMatchObject({ unrepaired: true, made: 2, succeeded: 2, gone: 0 });
  const first = receiver.posts.slice(-2).map(({ json }) => json.id);
  expect(first).not.toContain(repaired.eventId);
  expect(await done('nothing', true)).toMatchObject({ made: 0, gone: 0 });
  expect(await done('all')).toMatchObject({ made: 3, succeeded: 3 });
  expect(await log().findRedelivery(subscription._id, 'all')).not.toHaveProperty('unrepaired');
});

test('a delivery keeps what explains a response, and the URL that it was sent to', async () => {
  dispatcher.start();
  const subscription = await dispatcher.subscribe(receiver.url);
  receiver.respond = (_post, response) =>
    void response.writeHead(302, { location: '/elsewhere?token=secret', server: 'test' }).end('why');
  await dispatcher.createPatients(1);
  await untilMany('failed', 1);
  await dispatcher.practice.store.subscriptions.update(
    subscription._id,
    { url: 'http://127.0.0.1:9/other' },
    new Date(),
  );
  const origin = new URL(receiver.url).origin;
  const [listed] = await inOutcome('failed');
  expect(listed).not.toHaveProperty('responseBody');
  expect(listed).not.toHaveProperty('responseHeaders');
  expect(await log().find(listed?._id ?? '')).toMatchObject({
    url: receiver.url,
    cause: 'redirect',
    reason: `The receiver responded with status 302, a redirect to ${origin}/elsewhere?…. Redirects are not followed.`,
    responseHeaders: { location: `${origin}/elsewhere?…`, server: 'test' },
    responseBody: 'why',
  });
  const logged = JSON.stringify(dispatcher.logs);
  expect(logged).toContain('"cause":"redirect"');
  expect(logged).not.toMatch(/elsewhere|token=secret|hooks|why/);
});
