import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiResponse, openTestApi, type TestApi, token, untilCountedInRedis } from './api.ts';

let api: TestApi;
let as: string;
beforeAll(async () => {
  api = await openTestApi();
  await untilCountedInRedis(api);
  as = token(api.practice.administrator.token);
});
afterAll(() => api.close());

const newSubscription = async (): Promise<string> => {
  const body = { clinicId: api.practice.clinicIds[0], url: 'https://example.com/hook' };
  const { json } = await api.call('POST', '/api/webhooksubscriptions', { as, body });
  return `/api/webhooksubscriptions/${json._id}`;
};

const expectRefused = ({ status, json, headers }: ApiResponse): void => {
  expect({ status, name: json.name }).toEqual({ status: 429, name: 'TooManyRequests' });
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
};

/** Marks the deliveries of a subscription as failed. @returns the id of the newest delivery */
const endAll = async (path: string): Promise<string> => {
  const subscriptionId = path.split('/').at(-1);
  await api.database
    .collection('deliveries')
    .updateMany({ subscriptionId }, { $set: { status: 'failed', finalTime: new Date() } });
  const { json } = await api.call('GET', `${path}/deliveries`, { as });
  return json[0]._id;
};

describe('limits of requested deliveries for each subscription', () => {
  test('allow thirty tests a minute, and do not affect other subscriptions', async () => {
    const path = await newSubscription();
    const made = await Promise.all(
      Array.from({ length: 30 }, () => api.call('POST', `${path}/test`, { as })),
    );
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([200]));
    expectRefused(await api.call('POST', `${path}/test`, { as }));
    expect((await api.call('POST', `${await newSubscription()}/test`, { as })).status).toBe(200);
  });

  test('allow ten bulk redeliveries an hour, and do not count a repeated request', async () => {
    const path = await newSubscription();
    const body = { since: '2030-01-01T00:00:00Z' };
    const redeliver = (key: string) =>
      api.call('POST', `${path}/redeliver`, { as, body, headers: { 'idempotency-key': `${path} ${key}` } });
    for (let made = 0; made < 10; made++) {
      expect((await redeliver(`key ${made}`)).status).toBe(200);
      expect((await redeliver(`key ${made}`)).headers.get('idempotent-replayed')).toBe('true');
    }
    expectRefused(await redeliver('one more'));
    // A refusal releases the key.
    expectRefused(await redeliver('one more'));
    expect((await redeliver('key 3')).status).toBe(200);
  });

  test('allow six hundred redeliveries of single deliveries a minute', async () => {
    const path = await newSubscription();
    await api.call('POST', `${path}/test`, { as });
    const id = await endAll(path);
    const redeliver = () => api.call('POST', `/api/webhookdeliveries/${id}/redeliver`, { as });
    const statuses = new Map<number, number>();
    const work = async () => {
      for (let made = 0; made < 151; made++) {
        const { status } = await redeliver();
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all([work(), work(), work(), work()]);
    expect(Object.fromEntries(statuses)).toEqual({ 200: 600, 429: 4 });
  });
});
