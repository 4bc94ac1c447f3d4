import { MAX_SETTINGS_OF, type SettingKind } from '@chairside/domain';
import { createPractice } from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from '../../test/api.ts';
import { OPEN_MONDAYS } from '../../test/read-only-records.ts';

let api: TestApi;
let as: string;
let clinicId: string;
let foreignClinicId: string;
beforeAll(async () => {
  api = await openTestApi();
  as = token(api.practice.administrator.token);
  [clinicId] = api.practice.clinicIds;
  [foreignClinicId] = api.stranger.clinicIds;
});
afterAll(() => api.close());

const DAY = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString();
const call = (method: string, path: string, body?: object, headers = {}) =>
  api.call(method, path, { as, headers, ...(body && { body }) });
const issuesOf = async (method: string, path: string, body: object) => {
  const { status, json } = await call(method, path, body);
  expect(status).toBe(400);
  return json.details.issues;
};

const KINDS: readonly [string, SettingKind, string, () => object, object, object][] = [
  [
    '/api/providers',
    'provider',
    'provider',
    () => ({ name: 'Dr. Ines Albers', clinicIds: [clinicId] }),
    {},
    { name: 'Dr. Bo' },
  ],
  [
    '/api/procedures',
    'procedure',
    'procedure',
    () => ({ name: 'Check-up', durationMinutes: 30 }),
    { bookable: true },
    { price: '80.00', currency: 'EUR' },
  ],
  [
    '/api/calendarblocks',
    'calendar-block',
    'calendarBlock',
    () => ({ clinicId, startTime: inDays(1), endTime: inDays(2), kind: 'HOLIDAY' }),
    {},
    { kind: 'OTHER' },
  ],
];

describe.each(KINDS)('%s', (path, kind, audited, fields, defaults, change) => {
  test('creates, changes and deletes on condition of the version, and audits each change', async () => {
    const created = await call('POST', path, fields());
    expect(created.json).toEqual({
      _id: expect.any(String),
      ...fieldsOf(created.json, fields()),
      ...defaults,
    });
    const one = `${path}/${created.json._id}`;
    const tag = created.headers.get('etag');
    expect((await call('GET', one)).headers.get('etag')).toBe(tag);

    const changed = await call('PUT', one, change, { 'if-match': tag });
    expect(changed.json).toEqual({ ...created.json, ...change });
    expect(changed.headers.get('etag')).not.toBe(tag);
    expect((await call('GET', one)).json).toEqual(changed.json);
    for (const method of ['PUT', 'DELETE'])
      expect(
        (await call(method, one, method === 'PUT' ? change : undefined, { 'if-match': tag })).status,
      ).toBe(412);
    // The body may be the response of a GET.
    expect((await call('PUT', one, changed.json)).json).toEqual(changed.json);

    const gone = await call('DELETE', one, undefined, { 'if-match': '"3"' });
    expect(gone.json).toEqual(changed.json);
    expect((await call('GET', one)).status).toBe(404);

    const { json: entries } = await call('GET', `/api/auditentries?recordId=${created.json._id}`);
    expect(entries.map(({ action, kind: of, result }: any) => [action, of, result])).toEqual([
      ['deleted', audited, 'ok'],
      ['updated', audited, 'ok'],
      ['deleted', audited, 'PreconditionFailed'],
      ['updated', audited, 'PreconditionFailed'],
      ['updated', audited, 'ok'],
      ['created', audited, 'ok'],
    ]);
  });

  test('an Idempotency-Key creates one setting; after its deletion, the key is refused', async () => {
    const headers = { 'idempotency-key': `of ${path}` };
    const body = fields();
    const first = await call('POST', path, body, headers);
    const again = await call('POST', path, body, headers);
    expect(again.json).toEqual(first.json);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    await call('DELETE', `${path}/${first.json._id}`);
    expect((await call('POST', path, body, headers)).status).toBe(409);
  });

  test('concurrent changes of different fields are all kept', async () => {
    const { json } = await call('POST', path, fields());
    const one = `${path}/${json._id}`;
    const same = Object.fromEntries(Object.entries(fields()).filter(([name]) => !(name in change)));
    const results = await Promise.all([change, ...Array(5).fill(same)].map((body) => call('PUT', one, body)));
    expect(results.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect((await call('GET', one)).json).toMatchObject(change);
    expect((await call('GET', one)).headers.get('etag')).toBe('"7"');
  });

  test('refuses one more than the maximum, until one is deleted', async () => {
    const { administrator, organizationId, clinicIds } = await createPractice(api.store);
    const by = { as: token(administrator.token) };
    const collection = api.database.collection<{ _id: string; organizationId: string }>(
      path.replace('/api/', '').replace('blocks', 'Blocks'),
    );
    const stored = Array.from(
      { length: MAX_SETTINGS_OF[kind] - 1 },
      (_, index) => `${organizationId}-${index}`,
    );
    const times = { startTime: new Date(), endTime: new Date(), kind: 'OTHER' };
    await collection.insertMany(
      stored.map((_id) => ({ _id, organizationId, name: 'n', clinicId: clinicIds[0], clinicIds, ...times })),
    );
    const body = {
      ...fields(),
      ...('clinicId' in fields() && { clinicId: clinicIds[0] }),
      ...('clinicIds' in fields() && { clinicIds }),
    };
    const post = () => api.call('POST', path, { ...by, body });
    const results = await Promise.all([post(), post(), post()]);
    expect(results.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
    const refused = results.find(({ status }) => status === 400);
    expect(refused?.json.message).toMatch(/already has [\d,]+ [a-z ]+, the maximum; delete one first/);
    const last = results.find(({ status }) => status === 200);
    expect(last?.json).not.toHaveProperty('slot');
    await api.call('DELETE', `${path}/${last?.json._id}`, by);
    expect((await post()).status).toBe(200);
  });
});

/** The sent fields as they are stored. */
const fieldsOf = (json: any, sent: object) =>
  Object.fromEntries(Object.keys(sent).map((name) => [name, json[name]]));

test('refuses references outside the organization, prices without a currency, and wrong times', async () => {
  const clinic = 'must be the id of a clinic in your organization';
  expect(
    await issuesOf('POST', '/api/providers', { name: 'n', clinicIds: [clinicId, foreignClinicId] }),
  ).toMatchObject([{ path: 'clinicIds.1', message: clinic }]);
  expect(
    await issuesOf('POST', '/api/procedures', {
      name: 'n',
      durationMinutes: 5,
      clinicIds: ['none'],
      price: 5,
    }),
  ).toMatchObject([
    { path: 'clinicIds.0', message: clinic },
    { path: 'currency', message: 'must be given with a price' },
  ]);
  const block = { clinicId: foreignClinicId, providerId: 'none', kind: 'BREAK' };
  expect(
    await issuesOf('POST', '/api/calendarblocks', { ...block, startTime: inDays(2), endTime: inDays(1) }),
  ).toMatchObject([
    { path: 'clinicId', message: clinic },
    { path: 'providerId', message: 'must be the id of a provider in your organization' },
    { path: 'endTime', message: 'must be after startTime' },
  ]);
  expect(
    await issuesOf('POST', '/api/calendarblocks', {
      ...{ clinicId, kind: 'BREAK' },
      ...{ startTime: inDays(1829), endTime: inDays(1831) },
    }),
  ).toMatchObject([{ path: 'endTime', message: 'must be at most 1830 days ahead' }]);
});

test('an unchanged reference to a deleted provider is no obstacle; null clears it', async () => {
  const provider = await call('POST', '/api/providers', { name: 'n', clinicIds: [clinicId] });
  const times = { startTime: inDays(1), endTime: inDays(2) };
  const block = await call('POST', '/api/calendarblocks', {
    ...{ clinicId, providerId: provider.json._id, ...times, kind: 'OTHER' },
  });
  await call('DELETE', `/api/providers/${provider.json._id}`);
  const one = `/api/calendarblocks/${block.json._id}`;
  expect((await call('PUT', one, { ...block.json, kind: 'BREAK' })).status).toBe(200);
  expect((await call('PUT', one, { providerId: null })).json).not.toHaveProperty('providerId');
});

describe('PUT /api/clinics/{clinicId}/openinghours', () => {
  const path = () => `/api/clinics/${clinicId}/openinghours`;

  test('sets hours that were never set, replaces them, and refuses another version', async () => {
    expect((await call('PUT', path(), OPEN_MONDAYS, { 'if-match': '"1"' })).status).toBe(412);
    const set = await call('PUT', path(), { weekdays: { monday: OPEN_MONDAYS.weekdays.monday } });
    expect(set.json).toEqual(OPEN_MONDAYS);
    const tag = set.headers.get('etag');
    const replaced = await call('PUT', path(), { ...OPEN_MONDAYS, chairs: 4 }, { 'if-match': tag });
    expect(replaced.json.chairs).toBe(4);
    expect((await call('PUT', path(), OPEN_MONDAYS, { 'if-match': tag })).status).toBe(412);
    expect((await call('GET', path())).json).toEqual(replaced.json);
    const { json: entries } = await call('GET', `/api/auditentries?kind=openingHours&recordId=${clinicId}`);
    expect(entries[1]).toMatchObject({ action: 'updated', result: 'ok' });
    expect(entries[1].changes).toContainEqual({ field: 'chairs', value: 4 });
    expect(entries[1].changes).toContainEqual({ field: 'weekdays' });
  });

  test('of two callers that set hours for the first time with If-None-Match, one does', async () => {
    const clinic = { _id: 'first', timezone: 'Europe/Zurich', lastEditTime: new Date().toISOString() };
    await api.practice.store.clinics.create(clinic);
    const first = '/api/clinics/first/openinghours';
    const set = (chairs: number) => call('PUT', first, { ...OPEN_MONDAYS, chairs }, { 'if-none-match': '*' });
    const results = await Promise.all([set(1), set(2), set(3)]);
    expect(results.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    const winner = results.find(({ status }) => status === 200);
    expect((await call('GET', first)).json).toEqual(winner?.json);
    const both = { 'if-none-match': '*', 'if-match': winner?.headers.get('etag') ?? '' };
    expect((await call('PUT', first, OPEN_MONDAYS, both)).status).toBe(400);
    expect((await call('PUT', first, OPEN_MONDAYS, { 'if-none-match': '"1"' })).status).toBe(400);
  });

  test('callers that set hours for the first time at once do not fail', async () => {
    const [, other] = api.practice.clinicIds;
    const set = () => call('PUT', `/api/clinics/${other}/openinghours`, OPEN_MONDAYS);
    const results = await Promise.all([set(), set(), set(), set()]);
    expect(results.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test('refuses hours that overlap, and a clinic without a known time zone', async () => {
    const monday = [
      { opens: '08:00', closes: '12:00' },
      { opens: '11:00', closes: '13:00' },
    ];
    const [overlap] = await issuesOf('PUT', path(), { weekdays: { monday } });
    expect(overlap).toMatchObject({ path: 'weekdays.monday.1' });
    expect(await issuesOf('PUT', path(), { weekdays: { mon: monday } })).toMatchObject([
      { path: 'weekdays', message: 'must be an object with a list of intervals for each weekday' },
    ]);
    const strange = { _id: 'strange', timezone: 'Mars/Olympus', lastEditTime: new Date().toISOString() };
    await api.practice.store.clinics.create(strange);
    const [zone] = await issuesOf('PUT', '/api/clinics/strange/openinghours', OPEN_MONDAYS);
    expect(zone.message).toContain('time zone');
  });
});
