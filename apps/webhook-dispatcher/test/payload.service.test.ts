import { clock } from '@chairside/domain';
import type { CreatedSubscription } from '@chairside/mongodb';
import { verify } from '@chairside/signing';
import { type RecordingReceiver, startRecordingReceiver } from '@chairside/test-support';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPatientsDuring, openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

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

const store = () => dispatcher.practice.store;
const subscribe = async (fields: object): Promise<CreatedSubscription> => {
  const sent = { clinicId: dispatcher.practice.clinicIds[0], url: receiver.url, events: [], active: true };
  const created = await store().subscriptions.create({ ...sent, ...fields }, clock.now());
  if (created === undefined) throw new Error('the clinic has reached its limit of subscriptions');
  return created;
};
const deliveries = () => dispatcher.database.collection('deliveries');

test('each webhook has the signatures of both schemes, and the id of its subscription', async () => {
  dispatcher.start();
  const { _id, secret } = await subscribe({ payload: 'ids' });
  await dispatcher.createPatients(1);
  await receiver.until((posts) => posts.length === 1);
  const [post] = receiver.posts;
  const headers = post?.headers as Record<string, string>;
  expect(headers).toMatchObject({
    'x-service-subscription-id': _id,
    'webhook-id': headers['x-service-event-id'],
    'webhook-timestamp': /t=(\d+)/.exec(headers['x-service-signature'] ?? '')?.[1],
  });
  const body = post?.raw ?? '';
  verify({ body, header: headers['x-service-signature'], secret });
  expect(new Webhook(secret).verify(body, headers)).toEqual(post?.json);
});

test('a subscription gets the ids or the record, the same bytes again in a redelivery', async () => {
  dispatcher.start();
  const [ids, full] = [await subscribe({ payload: 'ids' }), await subscribe({ url: `${receiver.url}/full` })];
  await dispatcher.createPatients(1);
  await receiver.until((posts) => posts.length === 2);
  await expect.poll(() => deliveries().countDocuments({ status: 'succeeded' })).toBe(2);
  for await (const delivery of store().deliveries.page({}, {}, 10)) {
    expect(delivery.payload).toBe(delivery.subscriptionId === ids._id ? 'ids' : 'full');
    await store().deliveries.redeliver(`again-${delivery._id}`, delivery, clock.now());
  }
  await receiver.until((posts) => posts.length === 4);
  const sentTo = ({ _id }: CreatedSubscription) =>
    receiver.posts.filter(({ headers }) => headers['x-service-subscription-id'] === _id);
  for (const [subscription, fields] of [
    [ids, ['_id', 'clinicId', 'lastEditTime']],
    [full, ['_id', 'clinicId', 'name', 'createdTime', 'lastEditTime']],
  ] as const) {
    const [first, second] = sentTo(subscription);
    expect(second?.raw).toEqual(first?.raw);
    expect(Object.keys(first?.json.data).sort()).toEqual([...fields].sort());
  }
});

test('a test is the same with both payloads', async () => {
  dispatcher.start();
  const data: unknown[] = [];
  for (const payload of ['ids', 'full'] as const) {
    const subscription = await subscribe({ payload, url: `${receiver.url}/${payload}` });
    const { _id, clinicId } = subscription;
    const made = await store().deliveries.test(subscription, { kind: 'operator' }, clock.now());
    await expect.poll(async () => (await store().deliveries.find(made._id))?.payload).toBe(payload);
    const post = receiver.posts.find(({ headers }) => headers['x-service-subscription-id'] === _id);
    expect(post?.json.data).toEqual({ subscriptionId: _id, clinicId });
    data.push(Object.keys(post?.json));
  }
  expect(data[0]).toEqual(data[1]);
});

test('after a change, no attempt begins more than a second later with the former payload', async () => {
  for (let number = 0; number < 3; number++) dispatcher.start();
  const { _id } = await subscribe({ payload: 'full' });
  /** Each payload, with the times before the call and after its response. */
  const changes = [{ payload: 'full', begun: 0, ended: 0 }];
  const changing = async () => {
    for (const payload of ['ids', 'full', 'ids'] as const) {
      const begun = Date.now();
      await store().subscriptions.update(_id, { payload }, clock.now());
      changes.push({ payload, begun, ended: Date.now() });
      // Each payload was sent before the next change.
      const since = { $gt: new Date(Date.now() + 1000) };
      await expect
        .poll(() => deliveries().countDocuments({ payload, attemptTime: since }))
        .toBeGreaterThan(9);
    }
  };
  await createPatientsDuring(changing(), dispatcher, receiver);
  await expect.poll(() => deliveries().countDocuments({ status: { $in: ['queued', 'sending'] } })).toBe(0);
  const sent = await deliveries().find({}).toArray();
  const former = sent.filter(({ attemptTime, payload }) => {
    const settled = changes.findLastIndex(({ ended }) => attemptTime.getTime() - ended > 1000);
    return !changes.slice(settled).some((each) => each.payload === payload && each.begun <= attemptTime);
  });
  expect(former).toEqual([]);
  const byId = new Map(sent.map((delivery) => [String(delivery._id), delivery.payload]));
  for (const { headers, json } of receiver.posts)
    expect(byId.get(String(headers['x-service-delivery-id']))).toBe('name' in json.data ? 'full' : 'ids');
});

test('the fixed headers are on the wire, and nothing of a receiver that may repeat them is kept or logged', async () => {
  const value = 'Bearer of-the-receiver';
  receiver.respond = ({ headers }, response) =>
    response
      .writeHead(401, { server: headers.authorization, location: '/of-the-receiver' })
      .end(`The token ${headers.authorization?.slice(7)} is unknown.`);
  dispatcher.start();
  await subscribe({ headers: { Authorization: value, 'X-Key': 'of-the-practice' } });
  await dispatcher.createPatients(1);
  await receiver.until((posts) => posts.length === 1);
  expect(receiver.posts[0]?.headers).toMatchObject({ authorization: value, 'x-key': 'of-the-practice' });
  await expect.poll(() => deliveries().countDocuments({ status: 'failed' })).toBe(1);
  const { _id = '' } = (await deliveries().findOne({})) ?? {};
  const kept = await store().deliveries.find(String(_id));
  expect(kept).toMatchObject({ statusCode: 401, payload: 'full', url: receiver.url });
  for (const field of ['responseBody', 'responseBodyTruncated', 'responseHeaders'] as const)
    expect(kept?.[field]).toBeUndefined();
  expect(JSON.stringify([kept, dispatcher.logs])).not.toContain('of-the-');
});

test.each([
  ['mismatch', 'mismatch'],
  ['the_receiver', undefined],
])('of a receiver with fixed headers, a code is kept unless a value has it: %s', async (code, kept) => {
  receiver.respond = (_post, response) => response.writeHead(400).end(code);
  dispatcher.start();
  await subscribe({ headers: { Authorization: 'Bearer of_the_receiver' } });
  await dispatcher.createPatients(1);
  await expect.poll(() => deliveries().countDocuments({ status: 'failed' })).toBe(1);
  const { _id = '' } = (await deliveries().findOne({})) ?? {};
  expect((await store().deliveries.find(String(_id)))?.responseBody).toBe(kept);
});

test('headers that cannot be decrypted are a configuration that cannot be used', async () => {
  dispatcher.start();
  const { _id } = await subscribe({ headers: { Authorization: 'a' } });
  const headers = { $set: { headers: 'gone:AAAA' } };
  await dispatcher.database.collection<{ _id: string }>('subscriptions').updateOne({ _id }, headers);
  await dispatcher.createPatients(1);
  await expect.poll(() => deliveries().countDocuments({ cause: 'configuration' })).toBe(1);
  const failed = await deliveries().findOne({});
  expect(failed?.reason).toBe("The subscription's headers cannot be decrypted.");
  expect(receiver.posts).toEqual([]);
});
