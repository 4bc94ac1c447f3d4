import { type DeliveryOutcome, deliveryId, newId } from '@chairside/domain';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from '../../test/api.ts';

const HOUR = 3_600_000;
/** One delivery more than a page examines at most. */
const MANY = 10_001;

let api: TestApi;
let as: string;
const now = Date.now();
beforeAll(async () => {
  api = await openTestApi();
  as = token(api.practice.administrator.token);
});
afterAll(() => api.close());

type Planted = {
  _id: string;
  eventId?: string;
  status?: DeliveryOutcome;
  /** How long ago the delivery was created. */
  ageMs: number;
  [field: string]: unknown;
};

/** Stores deliveries like those of the dispatcher. */
const plant = (planted: readonly Planted[], practice = api.practice) =>
  api.database.collection('deliveries').insertMany(
    planted.map(({ _id, ageMs, status = 'succeeded', eventId = `event-${_id}`, ...more }) => ({
      _id: deliveryId(eventId, _id),
      organizationId: practice.organizationId,
      clinicId: practice.clinicIds[0],
      subscriptionId: 'sub-1',
      eventId,
      event: 'patient.created',
      kind: 'event',
      status,
      createdTime: new Date(now - ageMs),
      ...more,
    })),
  );

/** The planted part of an id. */
const lastPartOf = ({ _id }: { _id: string }) => _id.slice(_id.lastIndexOf('-') + 1);

const list = async (query: string, by = as) => {
  const response = await api.call('GET', `/api/webhookdeliveries?${query}`, { as: by });
  expect({ query, status: response.status }).toEqual({ query, status: 200 });
  const cursor = response.headers.get('x-next-cursor') ?? undefined;
  return { rows: response.json, ids: response.json.map(lastPartOf), cursor };
};

test('lists the deliveries of all subscriptions of the last 24 hours, the newest first, with each filter', async () => {
  await plant([
    { _id: 'a', ageMs: HOUR, requestId: 'req-a', statusCode: 204, duration: 12.5 },
    { _id: 'b', ageMs: 2 * HOUR, subscriptionId: 'sub-2', clinicId: api.practice.clinicIds[1] },
    { _id: 'c', ageMs: 2 * HOUR, status: 'failed', cause: 'status', statusCode: 503 },
    { _id: 'd', ageMs: 3 * HOUR, status: 'failed', cause: 'timeout', event: 'patient.deleted' },
    { _id: 'e', ageMs: 4 * HOUR, status: 'skipped', cause: 'subscription_disabled', eventId: 'event-a' },
    { _id: 'f', ageMs: 25 * HOUR, kind: 'redelivery', redeliveryOf: 'a' },
  ]);
  await plant([{ _id: 'foreign', ageMs: HOUR, eventId: 'event-a', requestId: 'req-a' }], api.stranger);
  const { rows, ids, cursor } = await list('');
  // Deliveries of the same time are in descending order of their ids.
  expect(ids).toEqual(['a', 'c', 'b', 'd', 'e']);
  expect(cursor).toBeUndefined();
  expect(rows[0]).toEqual({
    _id: 'event-a-a',
    subscriptionId: 'sub-1',
    clinicId: api.practice.clinicIds[0],
    eventId: 'event-a',
    event: 'patient.created',
    requestId: 'req-a',
    kind: 'event',
    outcome: 'succeeded',
    statusCode: 204,
    duration: 12.5,
    createdTime: new Date(now - HOUR).toISOString(),
  });
  for (const [query, expected] of [
    [`clinicId=${api.practice.clinicIds[1]}`, ['b']],
    ['clinicId=unknown', []],
    ['webhookSubscriptionId=sub-2', ['b']],
    ['outcome=failed', ['c', 'd']],
    ['cause=timeout', ['d']],
    ['cause=subscription_disabled', ['e']],
    ['event=patient.deleted', ['d']],
    ['statusClass=5xx', ['c']],
    ['statusClass=2xx', ['a']],
    ['eventId=event-a', ['a', 'e']],
    ['eventId=event-a&outcome=skipped', ['e']],
    ['requestId=req-a', ['a']],
    ['requestId=req-a&outcome=failed', []],
    [`since=${new Date(now - 2 * HOUR).toISOString()}`, ['a', 'c', 'b']],
    [`until=${new Date(now - 3 * HOUR).toISOString()}`, ['d', 'e']],
    [
      `since=${new Date(now - 30 * HOUR).toISOString()}&until=${new Date(now - HOUR - 1).toISOString()}`,
      'cbdef',
    ],
    [
      `since=${new Date(now - 30 * HOUR).toISOString()}&outcome=failed&webhookSubscriptionId=sub-1`,
      ['c', 'd'],
    ],
  ] as const)
    expect({ query, ids: (await list(query)).ids }).toEqual({ query, ids: [...expected] });

  const first = await list('limit=2');
  expect(first.ids).toEqual(['a', 'c']);
  const second = await list(`limit=2&cursor=${first.cursor}`);
  expect(second.ids).toEqual(['b', 'd']);
  expect((await list(`limit=2&cursor=${second.cursor}`)).ids).toEqual(['e']);

  for (const query of [
    'statusClass=5',
    'cause=bad',
    `outcome=failed&cursor=${first.cursor}`,
    'subscriptionId=x',
  ])
    expect((await api.call('GET', `/api/webhookdeliveries?${query}`, { as })).status).toBe(400);
});

test('finds the deliveries of a request by its events, however many deliveries there are', async () => {
  const { practice } = api;
  const imported = [newId(new Date(now - HOUR)), newId(new Date(now))] as const;
  const requests = { one: 'req-one', two: 'req-two', [imported[0]]: 'import', [imported[1]]: 'import' };
  const events = Object.entries(requests).map(([_id, requestId]) => ({
    _id,
    requestId,
    organizationId: practice.organizationId,
    kind: 'patient' as const,
    recordId: 'p',
    event: 'patient.updated' as const,
    clinicIds: [practice.clinicIds[0]],
    time: new Date(now),
    body: '{}',
    principal: { kind: 'system' as const, id: 'test' },
  }));
  await api.store.everyOrganization.audit.addWrites(events);
  await plant([
    { _id: 's1', ageMs: HOUR, eventId: 'one', requestId: 'req-one' },
    { _id: 's2', ageMs: HOUR, eventId: 'one', requestId: 'req-one', status: 'failed' },
    { _id: 's1', ageMs: HOUR, eventId: 'two', requestId: 'req-two' },
    ...imported.map((eventId) => ({ _id: 's1', ageMs: HOUR, eventId, requestId: 'import' })),
  ]);
  api.statements.length = 0;
  expect((await list('requestId=req-one')).ids).toEqual(['s2', 's1']);
  const [page] = api.statements.filter((statement) => statement.find === 'deliveries');
  expect(page?.filter).toMatchObject({ eventId: { $in: ['one'] } });
  expect((await list('requestId=req-one&outcome=failed')).ids).toEqual(['s2']);
  expect((await list('requestId=req-two&eventId=one')).ids).toEqual([]);

  // Between the events of an import lie the deliveries of everybody.
  api.statements.length = 0;
  expect((await list('requestId=import')).ids).toHaveLength(2);
  const searched = api.statements.filter((statement) => statement.find === 'deliveries');
  expect(searched.some(({ filter }) => filter.requestId === 'import')).toBe(true);
  expect(searched.filter(({ filter }) => 'eventId' in filter)).toEqual([]);
});

test('examines 10,000 deliveries in one request, then returns what it found and a cursor', async () => {
  const { stranger } = api;
  const by = token(stranger.administrator.token);
  await api.database.collection('deliveries').deleteMany({});
  const planted = Array.from({ length: MANY }, (_, index) => ({
    _id: String(MANY - index).padStart(5, '0'),
    ageMs: 2 * HOUR + Math.floor(index / 10),
    ...(index % 9999 === 0 && { status: 'failed' as const }),
    ...(index === MANY - 1 && { status: 'interrupted' as const }),
  }));
  await plant(planted, stranger);

  const failed = await list('outcome=failed', by);
  expect(failed.ids).toEqual([planted[0]?._id, planted[9999]?._id]);
  const rest = await list(`outcome=failed&cursor=${failed.cursor}`, by);
  expect({ ids: rest.ids, cursor: rest.cursor }).toEqual({ ids: [], cursor: undefined });

  const interrupted = await list('outcome=interrupted&webhookSubscriptionId=sub-1&limit=1', by);
  expect(interrupted.ids).toEqual([]);
  const found = await list(
    `outcome=interrupted&webhookSubscriptionId=sub-1&limit=1&cursor=${interrupted.cursor}`,
    by,
  );
  expect({ ids: found.ids, cursor: found.cursor }).toEqual({
    ids: [planted[MANY - 1]?._id],
    cursor: undefined,
  });

  expect(await list('clinicId=unknown', by)).toMatchObject({ ids: [], cursor: expect.any(String) });
  // A page that is full before it has examined 10,000 deliveries ends at its last row.
  const succeeded = await list('outcome=succeeded&limit=1000', by);
  const next = await list(`outcome=succeeded&limit=1000&cursor=${succeeded.cursor}`, by);
  expect([...succeeded.ids, ...next.ids]).toEqual(planted.slice(1, 2001).map(({ _id }) => _id));
});

test('lists the bulk redeliveries of a subscription, the newest first', async () => {
  const call = (method: string, path: string, body?: object) =>
    api.call(method, path, { as, ...(body && { body }) });
  const subscribe = async () =>
    (
      await call('POST', '/api/webhooksubscriptions', {
        clinicId: api.practice.clinicIds[0],
        url: 'https://example.com/hook',
      })
    ).json._id;
  const path = `/api/webhooksubscriptions/${await subscribe()}`;
  const made = [];
  for (let index = 0; index < 3; index++)
    made.unshift((await call('POST', `${path}/redeliver`, { since: '2030-01-01T00:00:00Z' })).json);
  await call('POST', `/api/webhooksubscriptions/${await subscribe()}/redeliver`, {
    since: '2030-01-01T00:00:00Z',
  });
  const first = await call('GET', `${path}/redeliveries?limit=2`);
  expect(first.json).toEqual(made.slice(0, 2));
  const cursor = first.headers.get('x-next-cursor');
  const second = await call('GET', `${path}/redeliveries?limit=2&cursor=${cursor}`);
  expect(second.json).toEqual(made.slice(2));
  expect(second.headers.has('x-next-cursor')).toBe(false);
});
