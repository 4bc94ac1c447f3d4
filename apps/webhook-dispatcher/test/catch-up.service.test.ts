import { newId } from '@chairside/domain';
import { verify } from '@chairside/signing';
import { type RecordingReceiver, startRecordingReceiver } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliveriesIn, openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

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

const count = (kind: string) => deliveriesIn(dispatcher.logs).filter((line) => line.kind === kind).length;
const untilDelivered = (kind: string, total: number) => dispatcher.untilLogged(() => count(kind) === total);

test('a redelivery sends the same bytes under a new id, even to a disabled subscription', async () => {
  const subscription = await dispatcher.subscribe(receiver.url);
  const { subscriptions, deliveries } = dispatcher.practice.store;
  receiver.respond = (_post, response) => void response.writeHead(500).end('no\x07');
  const [eventId] = await dispatcher.createPatients(1);
  await untilDelivered('event', 1);
  const source = await deliveries.find(`${eventId}-${subscription._id}`);
  expect(source).toMatchObject({ outcome: 'failed', cause: 'status', responseBody: 'no' });

  receiver.respond = (_post, response) => void response.end();
  await subscriptions.update(subscription._id, { active: false }, new Date());
  if (source === undefined) throw new Error('no delivery');
  const made = await deliveries.redeliver(newId(), source, new Date());
  if (made === 'event_gone') throw new Error(made);
  await untilDelivered('redelivery', 1);
  const [first, second] = receiver.posts.slice(-2);
  expect(second?.raw).toEqual(first?.raw);
  expect(second?.headers['x-service-delivery-id']).toBe(made._id);
  expect(second?.headers['x-service-event-id']).toBe(eventId);
  expect(await deliveries.find(made._id)).toMatchObject({ outcome: 'succeeded', redeliveryOf: source._id });
  // A redelivery neither adds to the streak nor resets it.
  expect(await subscriptions.find(subscription._id)).toMatchObject({ active: false, consecutiveFailures: 1 });
  await subscriptions.delete(subscription._id);
});

test('a test is signed and sent like an event, and does not add to the streak', async () => {
  const subscription = await dispatcher.subscribe(receiver.url);
  receiver.respond = (_post, response) => void response.writeHead(503).end();
  const made = await dispatcher.practice.store.deliveries.test(
    subscription,
    { kind: 'operator' },
    new Date(),
  );
  await untilDelivered('test', 1);
  const post = receiver.posts.at(-1);
  expect(post?.headers['x-service-event']).toBe('test.ping');
  expect(post?.json).toMatchObject({ id: made.eventId, event: 'test.ping' });
  const header = post?.headers['x-service-signature'] as string;
  verify({ body: post?.raw ?? '', header, secret: subscription.secret });
  const { subscriptions } = dispatcher.practice.store;
  expect(await subscriptions.find(subscription._id)).toMatchObject({ consecutiveFailures: 0 });
  await subscriptions.delete(subscription._id);
});

test('redelivers missed events in the background, each once, and reports the progress', async () => {
  const subscription = await dispatcher.subscribe(receiver.url);
  const { subscriptions, deliveries } = dispatcher.practice.store;
  const since = new Date(Date.now() - 3_600_000).toISOString();
  await subscriptions.update(subscription._id, { active: false }, new Date());
  const eventIds = await dispatcher.createPatients(250);
  const collection = dispatcher.database.collection('deliveries');
  const skipped = () => collection.countDocuments({ subscriptionId: subscription._id, status: 'skipped' });
  await expect.poll(skipped).toBe(250);
  const log = dispatcher.database.collection('events');
  await expect.poll(() => log.countDocuments({ _id: eventIds[0] ?? '' })).toBe(1);
  await log.deleteOne({ _id: eventIds[0] ?? '' });
  // The event of a recent delivery may still enter the log, so this delivery gets an earlier time.
  const createdTime = new Date(Date.now() - 120_000);
  await collection.updateOne({ eventId: eventIds[0] ?? '' }, { $set: { createdTime } });

  receiver.respond = (_post, response) => void response.end();
  const before = count('redelivery');
  const request = { since, outcomes: ['skipped' as const] };
  const _id = newId();
  await deliveries.redeliverMany(_id, subscription._id, request, new Date());
  await untilDelivered('redelivery', before + 249);
  const progress = () => deliveries.findRedelivery(subscription._id, _id);
  await expect.poll(progress).toMatchObject({ state: 'done', made: 249, gone: 1 });
  const sent = receiver.posts.slice(-249).map(({ json }) => json.id);
  expect(sent.sort()).toEqual(eventIds.slice(1).sort());
});

test('deletes an event after 30 days, once its last delivery is deleted', async () => {
  const { events, deliveries } = dispatcher.store.everyOrganization;
  const subscription = await dispatcher.subscribe(receiver.url);
  const [kept = '', gone = ''] = await dispatcher.createPatients(2);
  const ended = (id: string | undefined) => async () =>
    (await dispatcher.practice.store.deliveries.find(`${id}-${subscription._id}`))?.outcome;
  await expect.poll(ended(kept)).toBe('succeeded');
  await expect.poll(ended(gone)).toBe('succeeded');
  const log = dispatcher.database.collection('events');
  await expect.poll(() => log.countDocuments({ _id: { $in: [kept, gone] } })).toBe(2);
  const soon = new Date(Date.now() + 31 * 86_400_000);
  await dispatcher.database.collection('deliveries').deleteMany({ eventId: gone });
  // A queued delivery keeps its event, however old the event is.
  const { organizationId, clinicIds } = dispatcher.practice;
  const unsent = { _id: `${kept}-unsent`, organizationId, clinicId: clinicIds[0], subscriptionId: 'none' };
  await deliveries.insert(
    [{ ...unsent, eventId: kept as string, event: 'patient.created', kind: 'redelivery' }],
    new Date(),
  );
  expect(await events.expire(new Date(), 500)).toBe(0);
  expect(await events.expire(soon, 5000)).toBeGreaterThan(0);
  const left = await events.bodies([kept, gone].map((_id) => ({ _id: _id as string, organizationId })));
  expect([...left.keys()]).toEqual([kept]);
});

test('the sweep counts an outcome that is stored hours after the attempt in the statistics of its hour', async () => {
  const { deliveries } = dispatcher.store.everyOrganization;
  const { organizationId, clinicIds, store } = dispatcher.practice;
  const late = {
    ...{
      _id: 'none-late',
      organizationId,
      clinicId: clinicIds[0],
      subscriptionId: 'of-late',
      eventId: 'none',
    },
    ...{ event: 'patient.created', kind: 'event' as const },
    claim: { token: 'token', worker: 'another', claimedAt: new Date() },
  };
  await deliveries.insert([late], new Date());
  const finalTime = new Date(Date.now() - 3 * 3_600_000);
  const outcome = { outcome: 'succeeded', attemptTime: finalTime, duration: 7, timings: {} } as const;
  await deliveries.finish([{ delivery: { ...late, token: 'token' }, outcome }], finalTime);
  const period = { since: new Date(finalTime.getTime() - 3_600_000), until: new Date() };
  const read = async () =>
    Array.fromAsync(store.statistics.page({ ...period, subscriptionId: 'of-late' }, undefined, 10));
  await expect.poll(read).toMatchObject([{ statistics: { succeeded: 1, failed: 0, complete: true } }]);
});
