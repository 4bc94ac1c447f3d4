import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from '../../test/api.ts';

const HOUR = 3_600_000;
const thisHour = Math.floor(Date.now() / HOUR) * HOUR;
const LIFE = 30 * 24 * HOUR;

let api: TestApi;
let as: string;
beforeAll(async () => {
  api = await openTestApi();
  as = token(api.practice.administrator.token);
});
afterAll(() => api.close());

const get = (query = '', by = as) => api.call('GET', `/api/webhookstatistics${query}`, { as: by });

/** Stores a subscription with deliveries that ended this many hours ago. */
const plant = async (subscriptionId: string, hoursAgo: readonly number[], practice = api.practice) => {
  const { organizationId } = practice;
  const subscription = { _id: subscriptionId, organizationId, slot: subscriptionId };
  await api.database.collection('subscriptions').insertOne(subscription);
  await api.database.collection('deliveries').insertMany(
    hoursAgo.map((hours, index) => {
      const finalTime = new Date(thisHour - hours * HOUR + 1);
      return {
        _id: `${subscriptionId}-${index}-${hours}`,
        organizationId,
        clinicId: practice.clinicIds[0],
        subscriptionId,
        eventId: 'e',
        event: 'patient.created',
        kind: 'event',
        status: index % 2 === 0 ? 'succeeded' : 'failed',
        ...(index % 2 === 1 && { cause: 'timeout' }),
        duration: index % 2 === 0 ? 4 : 5001,
        createdTime: finalTime,
        attemptTime: finalTime,
        finalTime,
        expireAt: new Date(finalTime.getTime() + LIFE),
      };
    }),
  );
};

test('returns a row for each hour and subscription, closed or not, with filters and pages', async () => {
  await plant('sub-1', [25, 3, 3, 2, 0]);
  await plant('sub-2', [3]);
  await plant('theirs', [3], api.stranger);
  const { deliveryHours } = api.store.everyOrganization;
  while (await deliveryHours.closeNext(new Date(thisHour), new Date()));
  const { status, json } = await get();
  expect(status).toBe(200);
  const place = ({ hour, subscriptionId, complete }: any) => [
    (thisHour - Date.parse(hour)) / HOUR,
    subscriptionId,
    complete,
  ];
  expect(json.map(place)).toEqual([
    [3, 'sub-1', true],
    [3, 'sub-2', true],
    [2, 'sub-1', true],
    [0, 'sub-1', false],
  ]);
  expect(json[0]).toEqual({
    hour: new Date(thisHour - 3 * HOUR).toISOString(),
    clinicId: api.practice.clinicIds[0],
    subscriptionId: 'sub-1',
    succeeded: 1,
    failed: 1,
    skipped: 0,
    interrupted: 0,
    causes: { timeout: 1 },
    durations: [0, 0, 0, 1, ...Array(19).fill(0), 1],
    complete: true,
  });
  expect((await get('?webhookSubscriptionId=sub-2')).json).toEqual([json[1]]);
  expect((await get(`?clinicId=${api.practice.clinicIds[1]}`)).json).toEqual([]);
  const until = new Date(thisHour - 2 * HOUR).toISOString();
  expect((await get(`?until=${until}`)).json.map(place)).toEqual([
    [25, 'sub-1', true],
    [3, 'sub-1', true],
    [3, 'sub-2', true],
  ]);
  expect((await get('', token(api.stranger.administrator.token))).json).toHaveLength(1);

  const seen = [];
  for (let query = '?limit=1'; ; ) {
    const page = await get(query);
    seen.push(...page.json);
    const cursor = page.headers.get('x-next-cursor');
    if (cursor === null) break;
    query = `?limit=1&cursor=${cursor}`;
  }
  expect(seen).toEqual(json);
});

test('allows a period of 30 days', async () => {
  const period = (days: number) =>
    `?since=${new Date(thisHour - days * 24 * HOUR).toISOString()}&until=${new Date(thisHour).toISOString()}`;
  expect((await get(period(30))).json).toHaveLength(4);
  for (const query of [period(31), '?since=2020-01-01T00:00:00Z']) {
    const { status, json } = await get(query);
    expect({ status, path: json.details.issues[0].path }).toEqual({ status: 400, path: 'since' });
  }
});
