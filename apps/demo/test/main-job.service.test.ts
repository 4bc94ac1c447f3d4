import { createHmac } from 'node:crypto';
import {
  openedDocuments,
  type Post,
  startWholeService,
  testEngines,
  type WholeService,
} from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService(testEngines().redisUrl);
});
afterAll(() => service.close());

/**
 * Computes the signature as the contract describes it, without our package: HMAC-SHA256 in hex over `<t>.<raw body>`.
 */
const signatureOf = (timestamp: string, raw: Buffer, secret: string): string =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(raw).digest('hex');

/** The signature of Standard Webhooks, whose key is what the part of the secret after `whsec_` encodes. */
const standardSignatureOf = (signed: string, raw: Buffer, secret: string): string =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(signed)
    .update(raw)
    .digest('base64')}`;

const postOf = async (event: string, recordId: string): Promise<Post> => {
  const matches = ({ json }: Post) => json.event === event && json.data._id === recordId;
  await service.receiver.until((posts) => posts.some(matches));
  return service.receiver.posts.find(matches) as Post;
};

const expectDelivery = (post: Post, event: string, record: object): void => {
  expect(post.path).toBe('/hooks');
  const { host, connection, 'content-length': length, ...headers } = post.headers;
  expect(headers).toEqual({
    'content-type': 'application/json',
    'user-agent': 'Chairside-Webhooks/1.0',
    'x-service-event': event,
    'x-service-event-id': post.json.id,
    'x-service-delivery-id': expect.stringContaining(post.json.id),
    'x-service-subscription-id': service.subscription._id,
    'x-service-signature': expect.stringMatching(/^t=\d{10},v1=[0-9a-f]{64}$/),
    'webhook-id': post.json.id,
    'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
    'webhook-signature': expect.stringMatching(/^v1,[\w+/]{43}=$/),
  });
  expect(Number(length)).toBe(post.raw.length);
  const [, t = '', v1] = /^t=(\d+),v1=(\w+)$/.exec(String(headers['x-service-signature'])) ?? [];
  expect(v1).toBe(signatureOf(t, post.raw, service.subscription.secret));
  expect(headers['webhook-timestamp']).toBe(t);
  const signed = `${post.json.id}.${t}.`;
  expect(headers['webhook-signature']).toBe(
    standardSignatureOf(signed, post.raw, service.subscription.secret),
  );
  // The signature is younger than the event that it signs.
  expect(Number(t)).toBeGreaterThanOrEqual(post.json.timestamp);
  const more = event.endsWith('.updated') ? ['origin', 'changed'] : ['origin'];
  expect(Object.keys(post.json)).toEqual(['id', 'event', 'timestamp', 'data', ...more]);
  expect(post.json.event).toBe(event);
  expect(Number.isInteger(post.json.timestamp)).toBe(true);
  expect(post.json.data).toEqual(record);
  expect(Object.keys(post.json.data)).toEqual(Object.keys(record));
};

test.each([
  ['patient', { name: 'Ada Ünïcode 🦷', email: 'ada@example.com' }, { phone: '+49 30 1', name: null }],
  [
    'appointment',
    {
      startTime: '2030-01-01T10:00:00Z',
      endTime: '2030-01-01T10:30:00Z',
      procedures: [{ procedureId: 'p', name: 'n', price: '12.50' }],
      reminders: [{ 'any.key': [null, 1] }],
    },
    { status: 'PATIENT_ARRIVED' },
  ],
])(
  '%s: created, updated and deleted reach the subscriber, signed, as GET showed them',
  async (kind, fields, changes) => {
    const [clinicId] = service.practice.clinicIds;
    const created = await service.call('POST', `/api/${kind}s`, { clinicId, ...fields });
    expect(created.status).toBe(200);
    const path = `/api/${kind}s/${created.json._id}`;
    const read = await service.call('GET', path);
    expectDelivery(await postOf(`${kind}.created`, created.json._id), `${kind}.created`, read.json);

    const updated = await service.call('PUT', path, changes);
    expect(updated.status).toBe(200);
    const readAgain = await service.call('GET', path);
    expect(readAgain.json).toEqual(updated.json);
    expectDelivery(await postOf(`${kind}.updated`, created.json._id), `${kind}.updated`, readAgain.json);

    const deleted = await service.call('DELETE', path);
    expect(deleted.status).toBe(200);
    expectDelivery(await postOf(`${kind}.deleted`, created.json._id), `${kind}.deleted`, deleted.json);
  },
);

test('removes published events from the record, and deletes a deleted record', async () => {
  await service.dispatcher.logged(({ msg, event }) => msg === 'delivery' && event === 'appointment.deleted');
  const left = async () => {
    const patients = await service.database.collection('patients').find().toArray();
    const appointments = await service.database.collection('appointments').find().toArray();
    return [...patients, ...appointments];
  };
  // A delivery may be logged before its event has left the record.
  await expect.poll(left).toEqual([]);
  const log = await service.database.collection('events').countDocuments();
  expect(log).toBe(6);
  expect(await service.database.collection('deliveries').countDocuments({ status: 'succeeded' })).toBe(6);
});

test('sends an event only to subscriptions of its clinic and event kind', async () => {
  const [north, south] = service.practice.clinicIds;
  const { subscriptions } = service.practice.store;
  const create = (
    clinicId: string,
    path: string,
    events: Parameters<typeof subscriptions.create>[0]['events'],
  ) => subscriptions.create({ clinicId, url: service.receiver.url + path, events, active: true }, new Date());
  await create(north, '/appointments-only', ['appointment.*']);
  await create(north, '/updates', ['patient.updated', 'invoice.*']);
  await create(south, '/south', []);
  const { json } = await service.call('POST', '/api/patients', { clinicId: north });
  await service.call('PUT', `/api/patients/${json._id}`, { clinicId: south });
  const paths = () =>
    service.receiver.posts
      .filter((post) => post.json.data._id === json._id)
      .map((post) => `${post.json.event} ${post.path}`)
      .sort();
  await service.receiver.until(() => paths().length === 4);
  expect(paths()).toEqual([
    'patient.created /hooks',
    'patient.updated /hooks',
    'patient.updated /hooks/south',
    'patient.updated /hooks/updates',
  ]);
});

test('on SIGTERM the dispatcher waits for an attempt that hangs, stores its outcome, and exits with 0', async () => {
  service.receiver.respond = () => {};
  const { json } = await service.call('POST', '/api/patients', { clinicId: service.practice.clinicIds[0] });
  await service.receiver.until((posts) => posts.some((post) => post.json.data._id === json._id));
  // The exit code is 1 if draining timed out.
  expect(await service.dispatcher.end('SIGTERM')).toBe(0);
  const post = service.receiver.posts.find((each) => each.json.data._id === json._id);
  const id = post?.headers['x-service-delivery-id'];
  const [delivery] = await openedDocuments(service, 'deliveries', { _id: String(id) });
  expect(delivery).toMatchObject({ status: 'failed', cause: 'timeout', url: service.subscription.url });
  // Neither the signature nor a secret is stored.
  expect(JSON.stringify(delivery)).not.toMatch(/v1=|whsec_/);
});

test('the api exits with 0 on SIGTERM', async () => {
  expect(await service.api.end('SIGTERM')).toBe(0);
});
