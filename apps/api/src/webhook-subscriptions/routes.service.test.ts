import { basic } from '@chairside/test-support';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from '../../test/api.ts';

let api: TestApi;
let clinicId: string;
let as: string;
const path = '/api/webhooksubscriptions';
beforeAll(async () => {
  api = await openTestApi();
  [clinicId] = api.practice.clinicIds;
  as = token(api.practice.administrator.token);
});
afterAll(() => api.close());

const create = async (fields: object = {}) => {
  const body = { clinicId, url: 'https://example.com/hook', ...fields };
  const { status, json } = await api.call('POST', path, { as, body });
  expect(status).toBe(200);
  return json;
};

describe('POST /api/webhooksubscriptions', () => {
  test('returns the secret only once', async () => {
    const created = await create({ events: ['patient.created', 'appointment.*', 'patient.created'] });
    expect(created).toEqual({
      _id: expect.any(String),
      clinicId,
      url: 'https://example.com/hook',
      events: ['patient.created', 'appointment.*'],
      payload: 'full',
      headers: {},
      active: true,
      createdTime: expect.any(String),
      lastEditTime: expect.any(String),
      state: 'new',
      consecutiveFailures: 0,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9]{32}$/),
    });
    const { secret, ...rest } = created;
    const list = await api.call('GET', path, { as });
    expect(list.json).toContainEqual(rest);
    expect(list.text).not.toContain('whsec_');
    expect((await api.call('GET', `${path}/${created._id}`, { as })).json).toEqual(rest);
    const stored = await api.database.collection('subscriptions').findOne({ _id: created._id });
    expect(JSON.stringify(stored)).not.toContain(secret.slice(6));
  });

  test('subscribes to all events if none are given: an empty array', async () => {
    expect((await create()).events).toEqual([]);
  });

  test.each([
    'http://10.0.0.1/hook',
    'ftp://example.com',
    'https://user:password@example.com/',
    'https://example.com/#fragment',
    'https://10.0.0.1/hook',
    'https://[::1]/hook',
    'https://[::ffff:10.0.0.1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://2130706433/hook#',
    'not a url',
    `https://example.com/${'x'.repeat(2048)}`,
  ])('refuses the url %s', async (url) => {
    const { status, json } = await api.call('POST', path, { as, body: { clinicId, url } });
    expect(status).toBe(400);
    expect(json.details.issues[0].path).toBe('url');
  });

  test.each([
    ['https:\\\\example.com\\hook', 'must not contain a backslash'],
    ['https://example.com:0/hook', 'must not have the port 0'],
    ['https://example.com/ho\nok', 'must not contain white space'],
  ])('says why it refuses the url %s, also as a change', async (url, problem) => {
    const { _id } = await create();
    const refused = [
      await api.call('POST', path, { as, body: { clinicId, url } }),
      await api.call('PUT', `${path}/${_id}`, { as, body: { url } }),
    ];
    for (const { status, json } of refused)
      expect([status, json.details.issues]).toMatchObject([
        400,
        [{ path: 'url', message: expect.stringContaining(problem) }],
      ]);
  });

  test('stores and returns a url in normal form', async () => {
    const { _id, url } = await create({ url: 'HTTPS://Example.COM:443/a/../hook?q=ü' });
    expect(url).toBe('https://example.com/hook?q=%C3%BC');
    expect((await api.call('GET', `${path}/${_id}`, { as })).json.url).toBe(url);
    const body = { url: 'https://bücher.example:8443' };
    const changed = await api.call('PUT', `${path}/${_id}`, { as, body });
    expect(changed.json.url).toBe('https://xn--bcher-kva.example:8443/');
    const stored = await api.database.collection('subscriptions').findOne({ _id });
    expect(stored).toMatchObject({ url: changed.json.url, host: 'xn--bcher-kva.example:8443' });
  });

  test('accepts an address in an allowed network', async () => {
    expect((await create({ url: 'http://127.0.0.1:9/hook' })).url).toBe('http://127.0.0.1:9/hook');
  });

  test('refuses an unknown event, a secret, and a clinic of another organization', async () => {
    const { json } = await api.call('POST', path, {
      as,
      body: { clinicId, url: 'https://example.com', events: ['patient.exploded'], secret: 'mine' },
    });
    expect(json.details.issues.map(({ path: at }: { path: string }) => at).sort()).toEqual([
      'events.0',
      'secret',
    ]);
    const foreign = { clinicId: api.stranger.clinicIds[0], url: 'https://example.com' };
    expect((await api.call('POST', path, { as, body: foreign })).status).toBe(400);
  });

  test('allows at most twenty for a clinic, even with forty concurrent callers', async () => {
    const body = { clinicId: api.practice.clinicIds[1], url: 'https://example.com' };
    const responses = await Promise.all(
      Array.from({ length: 40 }, () => api.call('POST', path, { as, body })),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(20);
    const refused = responses.find(({ status }) => status !== 200);
    expect(refused?.status).toBe(400);
    expect(refused?.json.details.issues[0]).toMatchObject({
      path: 'clinicId',
      message: expect.stringContaining('20'),
    });
  });
});

describe('payload and fixed headers', () => {
  // A clinic has at most twenty subscriptions.
  afterEach(async () => {
    const { json } = await api.call('GET', path, { as });
    for (const { _id } of json) await api.call('DELETE', `${path}/${_id}`, { as });
  });

  const HIDDEN = '********';
  const put = (id: string, body: object) => api.call('PUT', `${path}/${id}`, { as, body });
  const issuesOf = async (call: Promise<{ status: number; json: { details: { issues: object[] } } }>) => {
    const { status, json } = await call;
    return [status, ...json.details.issues];
  };
  /** The headers with their values, as the dispatcher gets them. */
  const valuesOf = async (id: string) => {
    const receiver = (await api.store.everyOrganization.receivers.find([id])).get(id);
    return receiver !== undefined && 'headers' in receiver ? receiver.headers : undefined;
  };

  /** The changes of the last audit entry about an update of a subscription. */
  const changesOf = async (id: string) =>
    (await api.call('GET', `/api/auditentries?recordId=${id}&action=updated`, { as })).json[0].changes;

  test('no response, document or audit entry has the value of a header', async () => {
    const value = 'Bearer of-the-receiver';
    const created = await create({ payload: 'ids', headers: { Authorization: value } });
    expect(created).toMatchObject({ payload: 'ids', headers: { Authorization: HIDDEN } });
    const { _id } = created;
    const responses = [
      await api.call('GET', path, { as }),
      await api.call('GET', `${path}/${_id}`, { as }),
      await put(_id, { headers: { Authorization: value, 'X-Other': 'of-another' } }),
      await api.call('GET', `/api/auditentries?recordId=${_id}`, { as }),
    ];
    for (const { text } of responses) expect(text).not.toContain('of-');
    expect(responses[2]?.json.headers).toEqual({ Authorization: HIDDEN, 'X-Other': HIDDEN });
    expect(await changesOf(_id)).toEqual([{ field: 'headers', value: ['Authorization', 'X-Other'] }]);
    const stored = await api.database.collection('subscriptions').findOne({ _id });
    expect(JSON.stringify(stored)).not.toContain('of-');
    expect(await valuesOf(_id)).toEqual({ Authorization: value, 'X-Other': 'of-another' });
    expect((await api.call('DELETE', `${path}/${_id}`, { as })).text).not.toContain('of-');
  });

  test('a header that is sent back as it was shown keeps its value, whatever the case of its name', async () => {
    const { _id } = await create({ headers: { Authorization: 'a', 'X-Key': 'b' } });
    expect((await put(_id, { headers: { authorization: HIDDEN, 'X-New': 'c' } })).status).toBe(200);
    expect(await valuesOf(_id)).toEqual({ authorization: 'a', 'X-New': 'c' });
    expect((await put(_id, { events: [] })).json.headers).toEqual({ authorization: HIDDEN, 'X-New': HIDDEN });
    expect((await put(_id, { headers: {} })).json.headers).toEqual({});
    expect(await valuesOf(_id)).toEqual({});
    const message = `must have its value: ${HIDDEN} keeps a value, and none is stored under this name`;
    const issue = { path: 'headers.Authorization', message };
    const body = { headers: { Authorization: HIDDEN } };
    expect(await issuesOf(put(_id, body))).toMatchObject([400, issue]);
    const fresh = { clinicId, url: 'https://example.com', ...body };
    expect(await issuesOf(api.call('POST', path, { as, body: fresh }))).toMatchObject([400, issue]);
  });

  test.each([
    ['another host', 'https://example.org/hook'],
    ['another port', 'https://example.com:8443/hook'],
    ['another scheme', 'http://example.com/hook'],
  ])('%s gets only the headers that are sent with their values', async (_what, url) => {
    const headers = { Authorization: 'a', 'X-Key': 'b' };
    for (const [sent, kept] of [
      [{ url }, {}],
      [{ url, headers: { Authorization: HIDDEN, 'X-Key': 'c' } }, { 'X-Key': 'c' }],
    ]) {
      const { _id } = await create({ headers });
      expect(await put(_id, sent as object)).toMatchObject({ status: 200 });
      expect(await valuesOf(_id)).toEqual(kept);
      expect(await changesOf(_id)).toContainEqual({ field: 'headers', value: Object.keys(kept as object) });
      const { json } = await create({ headers }).then((old) =>
        api.call('POST', path, { as, body: { replaces: old._id, ...sent } }),
      );
      expect(await valuesOf(json._id)).toEqual(kept);
    }
  });

  test('the audit entry of a replacement has the host, the payload and the headers that it inherits', async () => {
    const old = await create({ payload: 'ids', headers: { Authorization: 'a' } });
    const { json } = await api.call('POST', path, { as, body: { replaces: old._id } });
    const entries = await api.call('GET', `/api/auditentries?recordId=${json._id}`, { as });
    expect(entries.json[0].changes).toEqual(
      expect.arrayContaining([
        { field: 'url', value: 'example.com' },
        { field: 'payload', value: 'ids' },
        { field: 'headers', value: ['Authorization'] },
        { field: 'replaces', value: old._id },
      ]),
    );
  });

  test('of two callers at once, none keeps a value in silence that the other has removed', async () => {
    for (let round = 0; round < 10; round++) {
      const { _id } = await create({ headers: { Authorization: 'a' } });
      const [kept, removed] = await Promise.all([
        put(_id, { headers: { Authorization: HIDDEN, 'X-Key': 'b' } }),
        put(_id, { headers: {} }),
      ]);
      expect(removed.status).toBe(200);
      const isKept = kept.status === 200;
      // The response shows what is stored after both.
      if (isKept) expect(kept.json.headers).not.toEqual({ 'X-Key': HIDDEN });
      else expect(kept.json.details.issues).toMatchObject([{ path: 'headers.Authorization' }]);
      await api.call('DELETE', `${path}/${_id}`, { as });
    }
  });

  test('another path of the same origin keeps the headers; a replacement inherits them and the payload', async () => {
    const old = await create({ payload: 'ids', headers: { Authorization: 'a' } });
    expect((await put(old._id, { url: 'https://EXAMPLE.com:443/other' })).json.headers).toEqual({
      Authorization: HIDDEN,
    });
    const { json } = await api.call('POST', path, { as, body: { replaces: old._id } });
    expect(json).toMatchObject({ payload: 'ids', headers: { Authorization: HIDDEN } });
    expect(await valuesOf(json._id)).toEqual({ Authorization: 'a' });
  });

  test.each([
    ...['Content-Type', 'content-length', 'User-Agent', 'X-Service-Event', 'webhook-id', 'Host', 'Expect'],
    ...['Connection', 'keep-alive', 'TE', 'Trailer', 'Transfer-Encoding', 'Upgrade', 'Proxy-Authorization'],
    ...['', 'a b', 'ü', 'a:b', 'a\r\nb'],
  ])('refuses a header with the name %j', async (name) => {
    const { _id } = await create();
    expect(await issuesOf(put(_id, { headers: { [name]: 'x' } }))).toMatchObject([
      400,
      { path: `headers.${name}` },
    ]);
  });

  test.each([
    ['a value of two lines', { 'X-Key': 'a\r\nX-Service-Event: b' }, 'headers.X-Key'],
    ['a value that is not ASCII', { 'X-Key': 'ü' }, 'headers.X-Key'],
    ['an empty value', { 'X-Key': '' }, 'headers.X-Key'],
    ['blanks around a value', { 'X-Key': ' a' }, 'headers.X-Key'],
    ['asterisks that keep nothing', { 'X-Key': '*******' }, 'headers.X-Key'],
    ['a name that is too long', { ['X'.repeat(1025)]: 'a' }, `headers.${'X'.repeat(64)}`],
    ['a value that is too long', { 'X-Key': 'a'.repeat(1025) }, 'headers.X-Key'],
    ['a value that is no text', { 'X-Key': 1 }, 'headers.X-Key'],
    ['names that differ in case', { 'X-Key': 'a', 'x-key': 'b' }, 'headers.x-key'],
    ['eleven headers', Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`X-${i}`, 'a'])), 'headers'],
    ['a list', ['a'], 'headers'],
  ])('refuses %s', async (_what, headers, at) => {
    const { _id } = await create();
    expect(await issuesOf(put(_id, { headers }))).toMatchObject([400, { path: at }]);
  });

  test('accepts ten headers of 1 KiB', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `X-${index}`);
    const headers = Object.fromEntries(names.map((name) => [name, 'a'.repeat(1024)]));
    const { _id } = await create({ headers });
    expect(await valuesOf(_id)).toEqual(headers);
  });
});

describe('replacing a secret', () => {
  const replace = (replaces: string, fields: object = {}) =>
    api.call('POST', path, { as, body: { replaces, ...fields } });
  const put = (id: string, body: object) => api.call('PUT', `${path}/${id}`, { as, body });
  const get = async (id: string) => (await api.call('GET', `${path}/${id}`, { as })).json;
  const remove = (...ids: string[]) =>
    Promise.all(ids.map((id) => api.call('DELETE', `${path}/${id}`, { as })));

  test('the whole way: create, switch, and delete the old one', async () => {
    const old = await create({ events: ['patient.*'] });
    const { status, json: next } = await replace(old._id);
    expect(status).toBe(200);
    expect(next).toMatchObject({
      clinicId,
      url: old.url,
      events: ['patient.*'],
      active: false,
      state: 'new',
      replaces: old._id,
      secret: expect.stringMatching(/^whsec_/),
    });
    expect(next.secret).not.toBe(old.secret);
    expect(await get(old._id)).not.toHaveProperty('replacedBy');
    expect((await put(next._id, { active: true })).json).toMatchObject({ active: true, replaces: old._id });
    const replaced = await get(old._id);
    expect(replaced).toMatchObject({ active: false, state: 'replaced', replacedBy: next._id });
    const again = await put(old._id, { active: true });
    expect(again).toMatchObject({
      status: 409,
      json: {
        name: 'Conflict',
        message: expect.stringContaining(next._id),
        details: { replacedBy: next._id },
      },
    });
    // A subscription can be sent back as it was read.
    expect((await put(old._id, replaced)).status).toBe(200);
    await remove(old._id);
    expect(await get(next._id)).not.toHaveProperty('replaces');
    await remove(next._id);
  });

  test('a URL and events of its own', async () => {
    const old = await create();
    const own = { clinicId, url: 'https://example.com/new', events: ['payment.*'], active: false };
    const { json: next } = await replace(old._id, own);
    expect(next).toMatchObject(own);
    await remove(next._id, old._id);
  });

  test.each([
    ['a foreign subscription', () => ({ replaces: '01JB000000000000SVBSCR1PT0' }), 'replaces'],
    ['another clinic', () => ({ clinicId: api.practice.clinicIds[1] }), 'clinicId'],
    ['one that is active at once', () => ({ active: true }), 'active'],
    ['a bad url', () => ({ url: 'https://10.0.0.1/' }), 'url'],
  ])('refuses %s', async (_name, fields, at) => {
    const old = await create();
    const { status, json } = await replace(old._id, fields());
    expect({ status, path: json.details.issues?.[0].path }).toEqual({ status: 400, path: at });
    await remove(old._id);
  });

  test('refuses a second replacement, and names the first', async () => {
    const old = await create();
    const { json: next } = await replace(old._id);
    expect(await replace(old._id)).toMatchObject({
      status: 409,
      json: { name: 'Conflict', details: { replacedBy: next._id } },
    });
    expect((await replace(next._id)).status).toBe(409);
    await remove(next._id);
    expect((await replace(old._id)).status).toBe(200);
    await remove(old._id);
  });

  test('the audit log tells what replaces what, and when', async () => {
    const old = await create();
    const { json: next } = await replace(old._id);
    await put(next._id, { active: true });
    const { json: entries } = await api.call('GET', '/api/auditentries?kind=webhookSubscription&limit=10', {
      as,
    });
    const about = entries
      .filter(({ ids }: { ids: string[] }) => ids.includes(next._id))
      .map(({ action, changes }: { action: string; changes: object[] }) => ({ action, changes }));
    expect(about).toEqual(
      expect.arrayContaining(
        ['created', 'updated'].map((action) => ({
          action,
          changes: expect.arrayContaining([{ field: 'replaces', value: old._id }]),
        })),
      ),
    );
    await remove(old._id, next._id);
  });
});

describe('access', () => {
  test.each([
    ['an API key', () => basic(api.practice.apiKey)],
    ['staff', () => token(api.practice.staff.token)],
  ])('refuses %s and names the required role', async (_name, caller) => {
    for (const [method, url] of [
      ['GET', path],
      ['POST', path],
      ['PUT', `${path}/x`],
      ['DELETE', `${path}/x`],
    ] as const) {
      const { status, json } = await api.call(method, url, { as: caller() });
      expect(status).toBe(403);
      expect(json.details.requiredRole).toBe('administrator');
    }
  });
});

describe('PUT /api/webhooksubscriptions/{id}', () => {
  test('changes url, events and active, and accepts the response of a GET', async () => {
    const { secret, ...created } = await create();
    const { status, json } = await api.call('PUT', `${path}/${created._id}`, {
      as,
      body: { ...created, url: 'https://example.org/', events: ['payment.*'], active: false },
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({ url: 'https://example.org/', events: ['payment.*'], active: false });
    expect(json.disabledReason).toContain('operator');
    expect(json.lastEditTime > created.lastEditTime).toBe(true);
    const enabled = await api.call('PUT', `${path}/${created._id}`, { as, body: { active: true } });
    expect(enabled.json.active).toBe(true);
    expect(enabled.json).not.toHaveProperty('disabledReason');
    expect(enabled.json).not.toHaveProperty('disabledTime');
  });

  test.each([
    ['another clinic', () => ({ clinicId: api.practice.clinicIds[1] }), 'clinicId'],
    ['a secret', () => ({ secret: 'mine' }), 'secret'],
    ['a bad url', () => ({ url: 'https://127.1.1.1@example.com' }), 'url'],
  ])('refuses %s', async (_name, body, at) => {
    const { _id } = await create();
    const { status, json } = await api.call('PUT', `${path}/${_id}`, { as, body: body() });
    expect(status).toBe(400);
    expect(json.details.issues[0].path).toBe(at);
    await api.call('DELETE', `${path}/${_id}`, { as });
  });
});

test('DELETE returns the deleted subscription without its secret, then 404', async () => {
  const { secret, ...created } = await create();
  const { status, json } = await api.call('DELETE', `${path}/${created._id}`, { as });
  expect(status).toBe(200);
  expect(json).toEqual(created);
  expect((await api.call('DELETE', `${path}/${created._id}`, { as })).status).toBe(404);
});
