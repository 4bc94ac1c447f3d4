import { collectionsWith } from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from '../../test/api.ts';

let api: TestApi;
let as: string;
let subscriptionId: string;
beforeAll(async () => {
  api = await openTestApi();
  as = token(api.practice.administrator.token);
  const body = { clinicId: api.practice.clinicIds[0], url: 'https://example.com/hook' };
  subscriptionId = (await api.call('POST', '/api/webhooksubscriptions', { as, body })).json._id;
});
afterAll(() => api.close());

const call = (method: string, path: string, body?: object) =>
  api.call(method, path, { as, ...(body && { body }) });
const sendTest = () => call('POST', `/api/webhooksubscriptions/${subscriptionId}/test`);

/** What the receiver responds with. */
const RESPONSE = 'the receiver is not available';
/** Ends a delivery as the dispatcher does. */
const end = async (id: string): Promise<void> => {
  const { deliveries } = api.store.everyOrganization;
  const { organizationId } = api.practice;
  const queued = { _id: id, organizationId, subscriptionId };
  const [delivery] = await deliveries.claim([queued], crypto.randomUUID(), 'worker-1');
  if (delivery === undefined) throw new Error('the delivery was not queued');
  const outcome = {
    outcome: 'failed',
    cause: 'status',
    reason: 'status 500',
    statusCode: 500,
    address: '192.0.2.1',
    attemptTime: new Date(),
    duration: 12.5,
    timings: { lookup: 1, connect: 2, tls: 3, firstByte: 6.5 },
    responseBody: RESPONSE,
  } as const;
  await deliveries.finish([{ delivery, outcome }], new Date());
};

describe('a test', () => {
  test('creates a queued delivery of kind test and announces its lane', async () => {
    const { status, json } = await sendTest();
    expect(status).toBe(200);
    expect(json).toEqual({
      _id: expect.any(String),
      subscriptionId,
      clinicId: api.practice.clinicIds[0],
      eventId: expect.any(String),
      event: 'test.ping',
      kind: 'test',
      outcome: 'queued',
      createdTime: expect.any(String),
    });
    const requests = await api.store.everyOrganization.laneRequests.due(new Date(), 100);
    expect(requests.map((request) => request.subscriptionId)).toContain(subscriptionId);
    const event = { _id: json.eventId, organizationId: api.practice.organizationId };
    const { events } = api.store.everyOrganization;
    const body = (await events.bodies([event])).get(json.eventId);
    if (body === undefined) throw new Error('no event');
    expect(JSON.parse(await events.open({ ...event, body }))).toEqual({
      id: json.eventId,
      event: 'test.ping',
      timestamp: expect.any(Number),
      data: { subscriptionId, clinicId: api.practice.clinicIds[0] },
      origin: { kind: 'operator', requestId: expect.any(String) },
    });
  });
});

describe('GET /api/webhookdeliveries/{id}', () => {
  test('returns everything known about the attempt, and no claim token', async () => {
    const { json: queued } = await sendTest();
    await end(queued._id);
    const { status, json } = await call('GET', `/api/webhookdeliveries/${queued._id}`);
    expect(status).toBe(200);
    expect(json).toEqual({
      ...queued,
      outcome: 'failed',
      cause: 'status',
      reason: 'status 500',
      statusCode: 500,
      address: '192.0.2.1',
      duration: 12.5,
      timings: { lookup: 1, connect: 2, tls: 3, firstByte: 6.5 },
      responseBody: RESPONSE,
      redeliveries: [],
      worker: 'worker-1',
      attemptTime: expect.any(String),
      finalTime: expect.any(String),
    });
    expect(await collectionsWith(api, RESPONSE)).toEqual([]);
  });
});

describe('GET /api/webhooksubscriptions/{id}/deliveries', () => {
  test('returns pages with the newest first, filtered by outcome, event and time', async () => {
    const path = `/api/webhooksubscriptions/${subscriptionId}/deliveries`;
    const made = [];
    for (let index = 0; index < 5; index++) made.push((await sendTest()).json);
    await end(made[0]._id);
    const since = made[0].createdTime;
    const { json } = await call('GET', `${path}?since=${since}`);
    const ids = (list: { _id: string }[]) => list.map(({ _id }) => _id);
    expect(new Set(ids(json))).toEqual(new Set(ids(made)));
    expect(json.map(({ createdTime }: { createdTime: string }) => createdTime)).toEqual(
      made.map(({ createdTime }) => createdTime).reverse(),
    );
    const first = await call('GET', `${path}?since=${since}&limit=3`);
    const cursor = first.headers.get('x-next-cursor');
    const second = await call('GET', `${path}?since=${since}&limit=3&cursor=${cursor}`);
    expect([...ids(first.json), ...ids(second.json)]).toEqual(ids(json));
    expect(ids((await call('GET', `${path}?since=${since}&outcome=failed`)).json)).toEqual([made[0]._id]);
    expect((await call('GET', `${path}?event=patient.created`)).json).toEqual([]);
    expect((await call('GET', `${path}?until=2020-01-01T00:00:00Z`)).json).toEqual([]);
    const other = { clinicId: api.practice.clinicIds[0], url: 'https://example.com/' };
    const { _id } = (await call('POST', '/api/webhooksubscriptions', other)).json;
    const elsewhere = `/api/webhooksubscriptions/${_id}/deliveries?since=${since}&limit=3&cursor=${cursor}`;
    expect((await call('GET', elsewhere)).status).toBe(400);
  });

  test('refuses an unknown outcome', async () => {
    const { status } = await call('GET', `/api/webhooksubscriptions/${subscriptionId}/deliveries?outcome=ok`);
    expect(status).toBe(400);
  });
});

describe('POST /api/webhookdeliveries/{id}/redeliver', () => {
  test('creates another delivery of the same event with its own id', async () => {
    const { json: source } = await sendTest();
    const early = await call('POST', `/api/webhookdeliveries/${source._id}/redeliver`);
    expect(early).toMatchObject({ status: 409, json: { name: 'Conflict' } });
    await end(source._id);
    const { status, json } = await call('POST', `/api/webhookdeliveries/${source._id}/redeliver`);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      kind: 'redelivery',
      outcome: 'queued',
      redeliveryOf: source._id,
      eventId: source.eventId,
      subscriptionId,
    });
    expect(json._id).not.toBe(source._id);
  });

  test('returns 409 if the event has expired', async () => {
    const { json: source } = await sendTest();
    await end(source._id);
    await api.database.collection('events').deleteOne({ _id: source.eventId });
    // The event of a younger delivery may still enter the log.
    const createdTime = new Date(Date.now() - 120_000);
    await api.database.collection('deliveries').updateOne({ _id: source._id }, { $set: { createdTime } });
    const response = await call('POST', `/api/webhookdeliveries/${source._id}/redeliver`);
    expect(response).toMatchObject({ status: 409, json: { name: 'Conflict' } });
  });
});

describe('POST /api/webhooksubscriptions/{id}/redeliver', () => {
  const path = () => `/api/webhooksubscriptions/${subscriptionId}/redeliver`;

  test('starts at once, reports its progress, and excludes later deliveries', async () => {
    const before = new Date().toISOString();
    const { status, json } = await call('POST', path(), {
      since: '2030-01-01T02:00:00+02:00',
      until: '2999-01-01T00:00:00Z',
    });
    expect(status).toBe(200);
    expect(json).toEqual({
      _id: expect.any(String),
      subscriptionId,
      since: '2030-01-01T00:00:00.000Z',
      until: expect.any(String),
      outcomes: ['failed', 'interrupted', 'skipped'],
      state: 'running',
      made: 0,
      waiting: 0,
      succeeded: 0,
      failed: 0,
      gone: 0,
      createdTime: expect.any(String),
    });
    expect(json.until >= before && json.until <= new Date().toISOString()).toBe(true);
    const watched = await call('GET', `/api/webhooksubscriptions/${subscriptionId}/redeliveries/${json._id}`);
    expect(watched.json).toEqual(json);
    const since = '2030-01-01T00:00:00Z';
    expect((await call('POST', path(), { since, unrepaired: true })).json.unrepaired).toBe(true);
    expect((await call('POST', path(), { since, unrepaired: false })).json).not.toHaveProperty('unrepaired');
  });

  test.each([
    [{}, 'since'],
    [{ since: '2030-01-01' }, 'since'],
    [{ since: '2030-01-02T00:00:00Z', until: '2030-01-01T00:00:00Z' }, 'until'],
    [{ since: '2030-01-01T00:00:00Z', outcomes: [] }, 'outcomes'],
    [{ since: '2030-01-01T00:00:00Z', outcomes: ['queued'] }, 'outcomes.0'],
    [{ since: '2030-01-01T00:00:00Z', outcome: 'failed' }, 'outcome'],
    [{ since: '2030-01-01T00:00:00Z', unrepaired: 'true' }, 'unrepaired'],
  ])('refuses %j', async (body, at) => {
    const { status, json } = await call('POST', path(), body);
    expect(status).toBe(400);
    expect(json.details.issues[0].path).toBe(at);
  });
});
