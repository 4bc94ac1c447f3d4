import { describe, expect, it } from 'vitest';
import { createForClinics } from '../src/every-clinic.ts';
import type { ClinicSubscription, CreateWebhookSubscriptions } from '../src/index.ts';
import { createStub, failure, networkError, type Reply, type Seen } from './stub.ts';

const URL = 'https://example.com/webhooks';

/** A service with three clinics. `refuse` decides about each creation. */
const openService = (refuse: (clinicId: string) => Reply | undefined = () => undefined) => {
  const subscriptions: { _id: string; clinicId: string; url: string; events: string[] }[] = [];
  const clinics = ['north', 'south', 'west'].map((_id) => ({ _id, name: `${_id} clinic` }));
  const reply = ({ method, path, body }: Seen): Reply => {
    if (path === '/api/clinics') return { body: clinics };
    if (method === 'GET') return { body: subscriptions };
    const refused = refuse(body.clinicId);
    if (refused !== undefined) return refused;
    const made = { events: [], ...body, _id: `sub_${subscriptions.length}` };
    subscriptions.push(made);
    return { body: { ...made, secret: `whsec_${body.clinicId}` } };
  };
  const { client, seen } = createStub(reply, { retry: false });
  const run = async (fields: CreateWebhookSubscriptions) => {
    const results: ClinicSubscription[] = [];
    for await (const result of createForClinics(client, fields)) results.push(result);
    return results;
  };
  return { client, seen, subscriptions, run };
};

const outcomesOf = (results: readonly ClinicSubscription[]) =>
  results.map(({ clinic, outcome }) => `${clinic._id} ${outcome}`);

describe('createForClinics', () => {
  it('creates one subscription for each clinic, each with its own secret', async () => {
    const { run, subscriptions } = openService();
    const results = await run({ url: URL, events: ['patient.*'] });
    expect(outcomesOf(results)).toEqual(['north created', 'south created', 'west created']);
    expect(results.map((result) => result.outcome === 'created' && result.subscription.secret)).toEqual([
      'whsec_north',
      'whsec_south',
      'whsec_west',
    ]);
    expect(subscriptions.map(({ url, events }) => ({ url, events }))).toEqual(
      Array(3).fill({ url: URL, events: ['patient.*'] }),
    );
  });

  it('keeps those with the same URL and events, in any order, and doubles nothing', async () => {
    const { run, subscriptions } = openService();
    await run({ url: URL, events: ['patient.*', 'invoice.paid'] });
    const again = await run({ url: URL, events: ['invoice.paid', 'patient.*', 'patient.*'] });
    expect(outcomesOf(again)).toEqual(['north kept', 'south kept', 'west kept']);
    expect(again.map((result) => result.outcome === 'kept' && result.subscription._id)).toEqual([
      'sub_0',
      'sub_1',
      'sub_2',
    ]);
    expect(subscriptions).toHaveLength(3);
    expect(outcomesOf(await run({ url: URL }))).toEqual(['north created', 'south created', 'west created']);
    expect(outcomesOf(await run({ url: `${URL}/2`, events: [] }))[0]).toBe('north created');
  });

  it('tells which of them send another payload or other headers, and leaves them', async () => {
    const { run, subscriptions } = openService();
    await run({ url: URL, headers: { Authorization: 'a' } });
    const all = (outcome: string) => ['north', 'south', 'west'].map((name) => `${name} ${outcome}`);
    expect(outcomesOf(await run({ url: URL, headers: { authorization: 'b' } }))).toEqual(all('kept'));
    for (const fields of [{}, { headers: { 'X-Key': 'a' } }])
      expect(outcomesOf(await run({ url: URL, ...fields }))).toEqual(all('differs'));
    const ids = { payload: 'ids' as const, headers: { Authorization: 'a' } };
    expect(outcomesOf(await run({ url: URL, ...ids }))).toEqual(all('differs'));
    expect(subscriptions).toHaveLength(3);
  });

  it.each([
    'https://EXAMPLE.com/webhooks',
    'HTTPS://example.com:443/webhooks',
    'https://example.com/./webhooks',
    'https://example.com/webhooks\n',
    ' https://example.com/webhooks',
    'https:///example.com/webhooks',
  ])('keeps those with the same URL in another spelling: %j', async (url) => {
    const { run, subscriptions } = openService();
    await run({ url: URL });
    expect(outcomesOf(await run({ url }))).toEqual(['north kept', 'south kept', 'west kept']);
    expect(subscriptions).toHaveLength(3);
  });

  it('leaves the other clinics if one is refused, and creates only this one the next time', async () => {
    let isFull = true;
    const { run, subscriptions } = openService((id) =>
      isFull && id === 'south' ? failure(400, 'ValidationError') : undefined,
    );
    const results = await run({ url: URL });
    expect(outcomesOf(results)).toEqual(['north created', 'south failed', 'west created']);
    expect(results[1]).toMatchObject({ error: { status: 400, requestId: 'req_1' } });
    isFull = false;
    expect(outcomesOf(await run({ url: URL }))).toEqual(['north kept', 'south created', 'west kept']);
    expect(subscriptions).toHaveLength(3);
  });

  it.each([
    ['the session ends', failure(401, 'Unauthorized')],
    ['the rate limit is reached', failure(429, 'TooManyRequests', { 'retry-after': '3600' })],
    ['the service fails', failure(503, 'ServiceUnavailable', { 'retry-after': '3600' })],
    ['the connection breaks', networkError('ECONNRESET')],
  ])('tries no further clinic when %s', async (_, reply) => {
    const { run, seen } = openService((id) => (id === 'south' ? reply : undefined));
    const results = await run({ url: URL });
    expect(outcomesOf(results)).toEqual(['north created', 'south failed', 'west untried']);
    expect(seen.filter(({ method }) => method === 'POST')).toHaveLength(2);
  });

  it('creates nothing if the subscriptions cannot be read', async () => {
    const { client, seen } = createStub(
      ({ path }) => (path === '/api/clinics' ? { body: [{ _id: 'a' }] } : failure(403, 'Forbidden')),
      { retry: false },
    );
    const results = createForClinics(client, { url: URL });
    await expect(results[Symbol.asyncIterator]().next()).rejects.toMatchObject({ status: 403 });
    expect(seen.filter(({ method }) => method === 'POST')).toEqual([]);
  });
});
