import { createHmac } from 'node:crypto';
import {
  cliOf,
  type Folder,
  openFolder,
  type Post,
  startWholeService,
  testEngines,
  type WholeService,
} from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/*
 * Tests the chapter "Events" of the service description, and the parts of other chapters that a subscriber sees. The
 * names of the tests are the sentences and the table rows that they test. The other chapters are tested in
 * apps/api/test/contract-*.service.test.ts, and the rejection of signatures in packages/signing/src/verify.test.ts.
 */
let service: WholeService;
let folder: Folder;
let clinicId: string;
beforeAll(async () => {
  service = await startWholeService(testEngines().redisUrl);
  folder = await openFolder();
  [clinicId] = service.practice.clinicIds;
});
afterAll(async () => {
  await folder.close();
  await service.close();
});

const administrator = () => `Token ${service.practice.administrator.token}`;
const ok = async (method: string, path: string, body?: object, as?: string) => {
  const { status, json } = await service.call(method, path, body, as);
  expect({ method, path, status }).toEqual({ method, path, status: 200 });
  return json;
};
const subscriptionPath = () => `/api/webhooksubscriptions/${service.subscription._id}`;
const subscription = () => ok('GET', subscriptionPath(), undefined, administrator());

/** Waits for the POST with this event for this record, and returns it. */
const postOf = async (event: string, recordId: string): Promise<Post> => {
  const matches = ({ json }: Post) => json.event === event && json.data._id === recordId;
  await service.receiver.until((posts) => posts.some(matches));
  return service.receiver.posts.find(matches) as Post;
};
/** Creates a patient, and returns the POST of its event. */
const anyPost = async (): Promise<Post> => {
  const { _id } = await ok('POST', '/api/patients', { clinicId, name: 'Zoë 🦷' });
  return postOf('patient.created', _id);
};
const signatureParts = ({ headers }: Post) =>
  /^t=(\d+),v1=([0-9a-f]+)$/.exec(String(headers['x-service-signature']));
/** Creates this many patients. Resolves when the delivery of each has ended. */
const createAndWait = async (count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    ids.push((await ok('POST', '/api/patients', { clinicId }))._id);
  }
  const loggedDeliveries = () => service.dispatcher.lines.filter(({ msg }) => msg === 'delivery').length;
  const events = async () => {
    const { database } = service;
    // In this order, because an event leaves its record after its deliveries exist.
    const waiting = await database.collection('patients').countDocuments({ outboxAt: { $exists: true } });
    const open = await database.collection('deliveries').countDocuments({ finalTime: { $exists: false } });
    return { open, waiting };
  };
  await expect.poll(events).toEqual({ open: 0, waiting: 0 });
  expect(loggedDeliveries()).toBeGreaterThan(0);
  return ids;
};

describe('What the service does', () => {
  test('3. The service sends signed HTTP POST requests (webhooks) to a subscriber’s server when patients and appointments change', async () => {
    const post = await anyPost();
    expect(post.method).toBe('POST');
    expect(signatureParts(post)).not.toBeNull();
  });
});

describe('Events', () => {
  test('A subscription delivers events as HTTP POST requests to its url.', async () => {
    const { method, path } = await anyPost();
    expect(service.subscription.url.endsWith(path)).toBe(true);
    expect({ method, path }).toEqual({ method: 'POST', path: '/hooks' });
  });
});

describe('Event kinds', () => {
  test.each([
    ['patient.created', 'POST', '/api/patients'],
    ['patient.updated', 'PUT', '/api/patients/{patientId}'],
    ['patient.deleted', 'DELETE', '/api/patients/{patientId}'],
    ['appointment.created', 'POST', '/api/appointments'],
    ['appointment.updated', 'PUT', '/api/appointments/{appointmentId}'],
    ['appointment.deleted', 'DELETE', '/api/appointments/{appointmentId}'],
  ])('| %s | %s %s |', async (event, method, path) => {
    const list = path.replace(/\/\{.*/, '');
    let record = await ok('POST', list, { clinicId });
    if (method !== 'POST')
      record = await ok(method, `${list}/${record._id}`, method === 'PUT' ? {} : undefined);
    expect((await postOf(event, record._id)).json.data).toEqual(record);
  });

  test('GET | Event | none', async () => {
    const { _id } = await ok('POST', '/api/patients', { clinicId });
    await ok('GET', `/api/patients/${_id}`);
    await ok('GET', '/api/patients');
    await ok('DELETE', `/api/patients/${_id}`);
    await postOf('patient.deleted', _id);
    const events = service.receiver.posts.filter(({ json }) => json.data._id === _id);
    expect(events.map(({ json }) => json.event).sort()).toEqual(['patient.created', 'patient.deleted']);
  });

  test.each([
    ['invoice', { number: 1, total: 99.95, status: 'OPEN' }],
    ['payment', { amount: 99.95, method: 'CARD', status: 'COMPLETED' }],
  ])('| %s.* | a family of events |', async (kind, fields) => {
    const own = { externalId: `${kind}-1`, clinicId, patientId: 'p-1', currency: 'EUR' };
    const lines = {
      patient: { externalId: 'p-1', clinicId },
      [kind]: { ...own, ...fields, creationTime: '2030-01-01T00:00:00Z' },
    };
    for (const [each, line] of Object.entries(lines)) {
      const file = await folder.writeLines(`${each}.ndjson`, [line]);
      const events = each === 'patient' ? 'none' : 'changes';
      const given = [file, '--organization', service.practice.organizationId, '--events', events];
      expect((await cliOf(service).run(['import', each, ...given])).code).toBe(0);
    }
    const [record] = await ok('GET', `/api/${kind}s`);
    const post = await postOf(`${kind}.created`, record._id);
    expect(post.json.data).toEqual(record);
    expect(post.headers['x-service-event']).toMatch(new RegExp(`^${kind}\\.`));
  });
});

describe('Delivery request', () => {
  test('| Header X-Service-Event | the event kind |', async () => {
    expect((await anyPost()).headers['x-service-event']).toBe('patient.created');
  });

  test('| Header X-Service-Signature | t=<timestamp>,v1=<hex signature> |', async () => {
    const { headers } = await anyPost();
    expect(headers['x-service-signature']).toMatch(/^t=\d{10},v1=[0-9a-f]{64}$/);
  });

  test('| Header Content-Type | application/json |', async () => {
    expect((await anyPost()).headers['content-type']).toBe('application/json');
  });

  test('| Body field event | string, the event kind |', async () => {
    expect((await anyPost()).json.event).toBe('patient.created');
  });

  test('| Body field timestamp | integer (Unix time) |', async () => {
    const before = Math.floor(Date.now() / 1000);
    const { timestamp } = (await anyPost()).json;
    expect(Number.isInteger(timestamp)).toBe(true);
    expect(timestamp).toBeGreaterThanOrEqual(before);
    expect(timestamp).toBeLessThanOrEqual(Date.now() / 1000);
  });

  test('| Body field data | object |', async () => {
    const { data } = (await anyPost()).json;
    expect(data).toEqual(await ok('GET', `/api/patients/${data._id}`));
  });
});

describe('Signature', () => {
  const hmac = (text: Buffer, key: string) => createHmac('sha256', key).update(text).digest('hex');
  const signedText = (t: string, raw: Buffer) => Buffer.concat([Buffer.from(`${t}.`), raw]);

  test('1. The signature is HMAC-SHA256, in hexadecimal, over the text <t>.<raw body> … the body exactly as sent. 2. The key is the subscription secret.', async () => {
    const post = await anyPost();
    const [, t = '', v1] = signatureParts(post) ?? [];
    expect(v1).toBe(hmac(signedText(t, post.raw), service.subscription.secret));
    // The body contains characters outside ASCII.
    expect(post.raw.length).toBeGreaterThan(post.raw.toString('utf8').length);
  });

  test('3. A receiver recomputes it over the raw body, compares it with v1, and rejects a mismatch.', async () => {
    const post = await anyPost();
    const [, t = '', v1] = signatureParts(post) ?? [];
    const { secret } = service.subscription;
    expect(hmac(signedText(`${Number(t) + 1}`, post.raw), secret)).not.toBe(v1);
    expect(hmac(signedText(t, Buffer.from(JSON.stringify(post.json, null, 1))), secret)).not.toBe(v1);
    expect(hmac(signedText(t, post.raw), `${secret}x`)).not.toBe(v1);
  });
});

describe('Delivery behaviour and Limits', () => {
  test('3. A subscription with an empty events array receives all events.', async () => {
    expect((await subscription()).events).toEqual([]);
    const { _id } = await ok('POST', '/api/appointments', { clinicId });
    await ok('DELETE', `/api/appointments/${_id}`);
    await Promise.all([postOf('appointment.created', _id), postOf('appointment.deleted', _id)]);
  });

  test('1. A receiver should answer with a 2xx status', async () => {
    service.receiver.respond = (_post, response) => void response.writeHead(299).end();
    await createAndWait(1);
    expect(await subscription()).toMatchObject({ lastStatusCode: 299, consecutiveFailures: 0 });
    service.receiver.respond = (_post, response) => void response.writeHead(302, { location: '/' }).end();
    await createAndWait(1);
    expect(await subscription()).toMatchObject({ lastStatusCode: 302, consecutiveFailures: 1 });
    service.receiver.respond = (_post, response) => void response.end();
    await createAndWait(1);
  });

  test('1. One attempt per event, with a five-second timeout, and no retries. | Webhook delivery timeout | 5 seconds | Webhook delivery attempts | 1 |', async () => {
    let closed = false;
    service.receiver.respond = (_post, response) =>
      void response.on('close', () => {
        closed = true;
      });
    const [id] = await createAndWait(1);
    const line = await service.dispatcher.logged(
      ({ msg, cause }) => msg === 'delivery' && cause === 'timeout',
    );
    expect(closed).toBe(true);
    expect(line.timings.firstByte).toBeGreaterThan(4000);
    service.receiver.respond = (_post, response) => void response.end();
    // A later event is delivered, and the failed delivery is not retried.
    await createAndWait(2);
    expect(service.receiver.posts.filter(({ json }) => json.data._id === id)).toHaveLength(1);
  });

  test('2. After 20 consecutive failed deliveries the subscription is disabled automatically … | enabled (active true) | delivery failures | 20 failures in a row | disabled automatically | deliveries stop |', async () => {
    service.receiver.respond = (_post, response) => void response.writeHead(500).end();
    await createAndWait(19);
    expect((await subscription()).active).toBe(true);
    await createAndWait(1);
    expect((await subscription()).active).toBe(false);
    const before = service.receiver.posts.length;
    await createAndWait(2);
    expect(service.receiver.posts).toHaveLength(before);
  });

  test('2. … until it is re-enabled | disabled | PUT subscription with active = true | operator access token | enabled | this is how an auto-disabled endpoint is re-enabled |', async () => {
    expect((await service.call('PUT', subscriptionPath(), { active: true })).status).toBe(403);
    expect((await subscription()).active).toBe(false);
    service.receiver.respond = (_post, response) => void response.end();
    const enabled = await ok('PUT', subscriptionPath(), { active: true }, administrator());
    expect(enabled.active).toBe(true);
    const { _id } = await ok('POST', '/api/patients', { clinicId });
    await postOf('patient.created', _id);
  });
});
