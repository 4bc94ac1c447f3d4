import { basic } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from './api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

const SUSPENDED = { status: 403, reason: 'organization_suspended' };

test('a suspended organization gets 403 everywhere, within a second, until it is resumed', async () => {
  const { practice, stranger } = api;
  const { organizationId, administrator } = practice;
  const program = await api.call('POST', '/api/sessions/current/tokens', {
    as: token(administrator.token),
    body: { name: 'x', access: 'webhooks' },
  });
  const callers = {
    key: basic(practice.apiKey),
    operator: token(administrator.token),
    programToken: token(program.json.token),
  };
  const signIn = (password = administrator.password) =>
    api.call('POST', '/api/sessions', { as: '', body: { email: administrator.email, password } });
  const shown = ({ status, json }: Awaited<ReturnType<typeof signIn>>) => ({
    status,
    reason: json?.details?.reason,
  });
  const responses = async () =>
    Promise.all(
      Object.values(callers).map(async (as) => shown(await api.call('GET', '/api/clinics', { as }))),
    );
  const works = { status: 200, reason: undefined };
  expect(await responses()).toEqual([works, works, works]);

  const { stops } = api.store.everyOrganization.administration;
  await stops.add({ organizationId, by: 'test' });
  await expect.poll(responses).toEqual([SUSPENDED, SUSPENDED, SUSPENDED]);
  expect(shown(await signIn())).toEqual(SUSPENDED);
  expect((await signIn('a wrong password')).status).toBe(401);
  const neighbour = await api.call('GET', '/api/clinics', { as: basic(stranger.apiKey) });
  expect(neighbour.status).toBe(200);

  await stops.remove({ organizationId });
  await expect.poll(responses).toEqual([works, works, works]);
  expect(shown(await signIn())).toEqual(works);
});

test('the state of what leaves is that of the dispatchers that run', async () => {
  const { practice, database } = api;
  const status = async () =>
    (await api.call('GET', '/api/servicestatus', { as: token(practice.administrator.token) })).json.outbound;
  expect(await status()).toBe('send');
  const processes = database.collection<{ _id: string; outbound?: string; seenTime: Date }>('processes');
  await processes.insertOne({ _id: 'holding', outbound: 'hold', seenTime: new Date() });
  expect(await status()).toBe('hold');
  await processes.insertOne({ _id: 'off', outbound: 'off', seenTime: new Date() });
  expect(await status()).toBe('off');
  await processes.updateMany({}, { $set: { seenTime: new Date(Date.now() - 60_000) } });
  expect(await status()).toBe('send');
});

test('a subscription whose host is blocked says that its deliveries wait', async () => {
  const { practice, store } = api;
  const as = token(practice.administrator.token);
  const { stops } = store.everyOrganization.administration;
  const [clinicId] = practice.clinicIds;
  const host = `blocked-${practice.organizationId.toLowerCase()}.example.com`;
  const path = '/api/webhooksubscriptions';
  const { json } = await api.call('POST', path, { as, body: { clinicId, url: `https://${host}/hook` } });
  const shown = async () => {
    const one = (await api.call('GET', `${path}/${json._id}`, { as })).json;
    const all: { _id: string; withheld?: string }[] = (await api.call('GET', path, { as })).json;
    return [one.withheld, all.find(({ _id }) => _id === json._id)?.withheld];
  };
  expect(await shown()).toEqual([undefined, undefined]);
  await stops.add({ host, by: 'test' });
  await expect.poll(shown).toEqual(['host_blocked', 'host_blocked']);
  // The entity tag is of what callers can change.
  const { headers } = await api.call('GET', `${path}/${json._id}`, { as });
  await stops.remove({ host });
  await expect.poll(shown).toEqual([undefined, undefined]);
  const after = await api.call('GET', `${path}/${json._id}`, { as });
  expect(after.headers.get('etag')).toBe(headers.get('etag'));
});
