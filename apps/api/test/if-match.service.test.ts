import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from './api.ts';

let api: TestApi;
let as: string;
let ids: Record<string, string>;
beforeAll(async () => {
  api = await openTestApi();
  as = token(api.practice.administrator.token);
  const [clinicId] = api.practice.clinicIds;
  const create = async (path: string, body: object) => (await api.call('POST', path, { as, body })).json._id;
  ids = {
    webhooksubscriptions: await create('/api/webhooksubscriptions', { clinicId, url: 'https://example.com' }),
    apikeys: await create('/api/apikeys', { name: 'one' }),
    operators: await create('/api/operators', {
      email: 'if-match@example.com',
      password: 'correct horse battery',
      role: 'staff',
    }),
  };
});
afterAll(() => api.close());

/** A change of each kind that makes another version, by the number of the change. */
const CHANGES: Readonly<Record<string, (number: number) => object>> = {
  webhooksubscriptions: (number) => ({ url: `https://example.com/${number}` }),
  apikeys: (number) => ({ name: `name ${number}` }),
  operators: (number) => ({ email: `if-match-${number}@example.com` }),
};

test.each(Object.keys(CHANGES))(
  '%s: of ten callers who have read the same version, one changes it',
  async (kind) => {
    const path = `/api/${kind}/${ids[kind]}`;
    const read = async () => (await api.call('GET', path, { as })).headers.get('etag') ?? '';
    const first = await read();
    expect(first).toMatch(/^"[\w-]{22}"$/);
    const change = (number: number, tag: string) =>
      api.call('PUT', path, { as, body: CHANGES[kind]?.(number) ?? {}, headers: { 'if-match': tag } });
    const results = await Promise.all(Array.from({ length: 10 }, (_, number) => change(number, first)));
    expect(results.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)]);
    const winner = results.find(({ status }) => status === 200);
    expect(results.find(({ status }) => status === 412)?.json.name).toBe('PreconditionFailed');
    const second = await read();
    expect(second).not.toBe(first);
    expect(winner?.headers.get('etag')).toBe(second);
    expect((await api.call('GET', path, { as })).json).toMatchObject(winner?.json);

    const remove = (tag: string) => api.call('DELETE', path, { as, headers: { 'if-match': tag } });
    expect((await remove(first)).status).toBe(412);
    expect((await remove('nonsense')).status).toBe(400);
    expect((await remove(`W/${first}, ${first.slice(0, -1)}-gzip"`)).status).toBe(412);
    expect((await remove(`${first}, W/${second.slice(0, -1)}-gzip"`)).status).toBe(200);
    expect((await api.call('GET', path, { as })).status).toBe(404);
  },
);

test('a subscription that failures have disabled is another version; what it sends does not change it', async () => {
  const [clinicId] = api.practice.clinicIds;
  const body = { clinicId, url: 'https://example.com/disabled' };
  const created = await api.call('POST', '/api/webhooksubscriptions', { as, body });
  const path = `/api/webhooksubscriptions/${created.json._id}`;
  const tag = created.headers.get('etag') ?? '';
  const stored = api.database.collection('subscriptions');
  await stored.updateOne({ _id: created.json._id }, { $set: { consecutiveFailures: 4 } });
  const same = await api.call('PUT', path, { as, body: { events: [] }, headers: { 'if-match': tag } });
  expect(same.status).toBe(200);
  await stored.updateOne({ _id: created.json._id }, { $set: { active: false, consecutiveFailures: 20 } });
  const stale = await api.call('PUT', path, { as, body: same.json, headers: { 'if-match': tag } });
  expect(stale.status).toBe(412);
});
