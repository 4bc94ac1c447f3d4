import { type AuditEntry, newId } from '@chairside/domain';
import {
  basic,
  createKey,
  type ServiceProcess,
  startDispatcher,
  untilDispatching,
} from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RouteEntry } from '../src/http/route-list.ts';
import { type ApiResponse, type CallOptions, openTestApi, type TestApi, token } from './api.ts';
import { createReadOnlyRecords } from './read-only-records.ts';

/*
 * The tests iterate over the app's own list of routes, so that no route can be forgotten. Each route is about records
 * of patients, returns events, or is in NOT_ABOUT_PATIENTS. The tests of this file call the routes of the first group
 * and the list of events, and check their audit entries, except the export of a patient: patients/export.service.test.ts
 * tests that. Some routes in NOT_ABOUT_PATIENTS leave entries too, for
 * example sign-ins: audit-security.service.test.ts tests these.
 */
const KIND_OF: Readonly<Record<string, AuditEntry['kind']>> = {
  patients: 'patient',
  appointments: 'appointment',
  invoices: 'invoice',
  payments: 'payment',
  treatments: 'treatment',
};
const NOT_ABOUT_PATIENTS: Readonly<Record<string, string>> = {
  clinics: 'about practices',
  providers: 'settings of practices',
  procedures: 'settings of practices',
  calendarblocks: 'settings of practices',
  availability: 'free slots',
  sessions: 'about operators',
  operators: 'about operators',
  organization: 'about who needs a factor',
  invitations: 'about operators',
  passwordresets: 'about operators',
  apikeys: 'about programs',
  connections: 'about connected apps',
  notices: 'about mails to operators',
  webhooksubscriptions: 'about receivers, and the ids of their events',
  webhookdeliveries:
    'about receivers, and the ids of their events; audit-security.service.test.ts has the others',
  webhookstatistics: 'numbers of deliveries',
  auditentries: 'the audit trail itself',
  servicestatus: 'the state of the service',
  docs: 'the reference',
  'openapi.json': 'the reference',
  health: 'the state of the process',
  dashboard: 'a redirect to the dashboard',
  '': 'a redirect to the documentation',
};

type ExpectedEntry = Pick<AuditEntry, 'action' | 'kind' | 'ids'> &
  Partial<Pick<AuditEntry, 'result' | 'part'>>;
type Route = RouteEntry & { kind: AuditEntry['kind']; isList: boolean; isSearch: boolean };

let api: TestApi;
let dispatcher: ServiceProcess;
let ids: Record<string, string>;
/** The entries that each request must leave, by its request id. */
const expected = new Map<string, object[]>();

const resourceOf = (url: string): string => url.replace(/^\/(api\/)?/, '').split('/')[0] ?? '';
const idsOf = (rows: { _id: string }[]): string[] => rows.map(({ _id }) => _id);

/** Makes a call. @param entriesOf returns the audit entries that the call must leave */
const call = async (
  method: string,
  path: string,
  options: CallOptions,
  status: number,
  entriesOf: (response: ApiResponse) => ExpectedEntry[],
): Promise<ApiResponse> => {
  const response = await api.call(method, path, options);
  expect({ method, path, status: response.status }).toEqual({ method, path, status });
  const isKey = options.as?.startsWith('Basic') ?? true;
  expected.set(
    response.headers.get('x-request-id') ?? '',
    entriesOf(response).map((entry) => ({
      _id: expect.any(String),
      organizationId: api.practice.organizationId,
      time: expect.any(Date),
      expireAt: expect.any(Date),
      principal: isKey
        ? { kind: 'apiKey', id: expect.any(String) }
        : { kind: 'operator', id: api.practice.staff._id },
      result: 'ok',
      requestId: response.headers.get('x-request-id'),
      ...entry,
    })),
  );
  return response;
};

beforeAll(async () => {
  api = await openTestApi();
  dispatcher = startDispatcher(api.environment);
  await untilDispatching(dispatcher);
  const externalId = 'pms:1';
  const body = { clinicId: api.practice.clinicIds[0], externalId };
  ids = { externalId };
  for (const kind of ['patient', 'appointment'] as const) {
    const { json } = await call('POST', `/api/${kind}s`, { body }, 200, ({ json: { _id } }) => [
      { action: 'created', kind, ids: [_id] },
    ]);
    ids[`${kind}Id`] = json._id;
  }
  Object.assign(ids, await createReadOnlyRecords(api.practice, ids.patientId ?? ''));
});
afterAll(async () => {
  await dispatcher.end('SIGKILL');
  await api.close();
});

const filled = (url: string, id?: string): string =>
  url.replace(/:(\w+)/g, (_all, parameter) => id ?? ids[parameter] ?? '');
const routesOf = (...methods: string[]): Route[] =>
  api.app.routeList.flatMap((route) => {
    const kind = KIND_OF[resourceOf(route.url)];
    if (kind === undefined || !methods.includes(route.method) || isExport(route.url)) return [];
    return [{ ...route, kind, isList: !route.url.includes(':'), isSearch: route.url.endsWith('/search') }];
  });
const isExport = (url: string): boolean => url.endsWith('/export');
const isByExternalId = (url: string): boolean => url.endsWith('/:externalId');
const creations = () => routesOf('POST').filter(({ isSearch }) => !isSearch);
const principals = () => [basic(api.practice.apiKey), token(api.practice.staff.token)];

test('classifies each route, and the tests below call each route that is about patients', () => {
  const called = [
    ...routesOf('GET', 'HEAD'),
    ...routesOf('POST').filter(({ isList }) => isList),
    ...routesOf('PUT', 'DELETE').filter(({ isList }) => !isList),
  ].map(({ method, url }) => `${method} ${url}`);
  const forms = /^\/api\/[a-z]+(\/:\w+|\/search|\/external\/:externalId)?$/;
  for (const { method, url } of api.app.routeList) {
    const resource = resourceOf(url);
    if (NOT_ABOUT_PATIENTS[resource] !== undefined || ['events', 'batch'].includes(resource)) continue;
    if (isExport(url)) continue;
    expect(KIND_OF).toHaveProperty(resource);
    expect(called).toContain(`${method} ${url}`);
    expect(url).toMatch(forms);
  }
});

test('routes that are not about patients return no schema of a patient record', () => {
  const document = JSON.parse(api.app.openApi);
  /** The names of all schemas that a part of the document refers to, directly or indirectly. */
  const schemasIn = (part: unknown, known = new Set<string>()): Set<string> => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (known.has(name)) continue;
      known.add(name);
      schemasIn(document.components.schemas[name], known);
    }
    return known;
  };
  const records = ['Patient', 'Appointment', 'Invoice', 'Payment', 'Treatment', 'Event'];
  const returned = (url: string) => {
    // A redirect is no operation.
    const { get, post, put, delete: gone } = document.paths[url.replace(/:(\w+)/g, '{$1}')] ?? {};
    return [...schemasIn([get, post, put, gone].map((operation) => operation?.responses?.['200'] ?? {}))];
  };
  for (const { method, url } of api.app.routeList) {
    const expectation = { method, url, returned: returned(url).filter((name) => records.includes(name)) };
    // An event contains a record of one of several kinds.
    const isOfEvents = expectation.returned.includes('Event');
    const count = isExport(url) ? records.length : isOfEvents ? 5 : url === '/api/batch' ? 2 : 1;
    if (NOT_ABOUT_PATIENTS[resourceOf(url)] === undefined) expect(expectation.returned).toHaveLength(count);
    else expect(expectation).toEqual({ method, url, returned: [] });
  }
});

/** Reads a list, with and without rows. @param known the ids of all its rows */
const readList = async ({ method, url, kind }: Route, as: string, known: string[]): Promise<void> => {
  const listed = (...listedIds: string[]): ExpectedEntry[] =>
    method === 'HEAD' ? [] : [{ action: 'listed', kind, ids: listedIds, part: 1 }];
  const { json } = await call(method, url, { as }, 200, () => listed(...known));
  if (method === 'GET') expect(idsOf(json)).toEqual(known);
  await call(method, `${url}?limit=10&fields=_id`, { as }, 200, () => listed(...known));
  await call(method, `${url}?updatedSince=2100-01-01T00:00:00Z`, { as }, 200, () => listed());
};

/** Searches, with and without rows. */
const searchList = async ({ method, url, kind }: Route, as: string, known: string[]): Promise<void> => {
  const search = (body: object, ...listedIds: string[]) =>
    call(method, url, { as, body }, 200, () => [{ action: 'listed', kind, ids: listedIds, part: 1 }]);
  expect(idsOf((await search({}, ...known)).json)).toEqual(known);
  await search({ limit: 10, fields: ['_id'] }, ...known);
  await search({ updatedSince: '2100-01-01T00:00:00Z' });
};

/** Reads the only record of a kind, and reads it again with a condition that makes the response a 304. */
const readRecord = async ({ method, url, kind }: Route, as: string, known: string[]): Promise<void> => {
  const read: ExpectedEntry = { action: 'read', kind, ids: known };
  const { json } = await call(method, filled(url), { as }, 200, () => [
    { ...read, ...(method === 'HEAD' && { result: 'headers' }) },
  ]);
  if (method === 'GET') expect(json._id).toBe(ids[`${kind}Id`]);
  await call(method, filled(url), { as, headers: { 'if-none-match': '*' } }, 304, () => [
    { ...read, result: 'not_modified' },
  ]);
};

test('a read leaves an entry for the record or the rows; a HEAD of a list leaves none', async () => {
  for (const route of routesOf('GET', 'HEAD')) {
    const stored = await api.database.collection(`${route.kind}s`).find().toArray();
    const read = route.isList ? readList : readRecord;
    for (const as of principals()) await read(route, as, idsOf(stored));
  }
  for (const route of routesOf('POST').filter(({ isSearch }) => isSearch)) {
    const stored = await api.database.collection(`${route.kind}s`).find().toArray();
    for (const as of principals()) await searchList(route, as, idsOf(stored));
  }
});

test('a write leaves one entry, created from its event; a replayed write leaves a read', async () => {
  const [clinicId] = api.practice.clinicIds;
  for (const as of principals()) {
    for (const { url, kind } of creations()) {
      const options = { as, body: { clinicId }, headers: { 'idempotency-key': `of ${url}` } };
      const { json } = await call('POST', url, options, 200, ({ json: { _id } }) => [
        { action: 'created', kind, ids: [_id] },
      ]);
      const again = await call('POST', url, options, 200, () => [{ action: 'read', kind, ids: [json._id] }]);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
    }
    for (const { method, url, kind } of routesOf('PUT', 'DELETE')) {
      const body = { clinicId, externalId: newId() };
      const { json } = await call('POST', `/api/${kind}s`, { as, body }, 200, (created) => [
        { action: 'created', kind, ids: [created.json._id] },
      ]);
      const isUpsert = isByExternalId(url);
      const path = filled(url, isUpsert ? body.externalId : json._id);
      const change = kind === 'patient' ? { name: 'Ada' } : { status: 'NO_SHOW' };
      const options = { as, ...(method === 'PUT' && { body: change }) };
      await call(method, path, options, 200, () => [
        { action: method === 'PUT' ? 'updated' : 'deleted', kind, ids: [json._id] },
      ]);
      // An upsert that changes nothing returns the record.
      if (isUpsert) await call(method, path, options, 200, () => [{ action: 'read', kind, ids: [json._id] }]);
    }
  }
});

test('each write of a batch leaves its entry; a repeated one leaves reads', async () => {
  const [clinicId] = api.practice.clinicIds;
  const externalId = newId();
  const writes = [
    { method: 'upsert', kind: 'patient', externalId, body: { clinicId } },
    { method: 'create', kind: 'appointment', body: { clinicId, patientExternalId: externalId } },
    { method: 'create', kind: 'appointment', body: { clinicId: 'nowhere' } },
  ];
  const entriesAs =
    (action: AuditEntry['action']) =>
    ({ json }: ApiResponse): ExpectedEntry[] =>
      (['patient', 'appointment'] as const).map((kind, row) => ({
        ...{ action, kind, ids: [json.results[row]._id] },
      }));
  const options = { body: { writes }, headers: { 'idempotency-key': externalId } };
  await call('POST', '/api/batch', options, 200, entriesAs('created'));
  await call('POST', '/api/batch', options, 200, entriesAs('read'));
  const [unchanged] = writes;
  await call('POST', '/api/batch', { body: { writes: [unchanged] } }, 200, ({ json }) => [
    { action: 'read', kind: 'patient', ids: [json.results[0]._id] },
  ]);
});

test('a refused request leaves no entry', async () => {
  const { secret } = await createKey(
    api.practice.store,
    { name: 'none', scopes: [], rateLimit: 1000 },
    new Date(),
  );
  const stranger = token(api.stranger.administrator.token);
  for (const { method, url, isList } of routesOf('GET', 'HEAD', 'POST', 'PUT', 'DELETE')) {
    const isRead = method === 'GET' || method === 'HEAD';
    const body = method === 'POST' || method === 'PUT' ? { body: {} } : {};
    await call(method, filled(url), { ...body, as: basic(secret) }, 403, () => []);
    await call(method, filled(url), { ...body, as: '' }, 401, () => []);
    await call(method, `${filled(url)}?unknown=1`, body, 400, () => []);
    if (isList) continue;
    // An upsert would create the record, and the body has no clinic.
    const missing = method === 'PUT' && isByExternalId(url) ? 400 : 404;
    await call(method, filled(url, 'missing'), body, missing, () => []);
    await call(method, filled(url), { ...body, as: stranger }, missing, () => []);
    if (!isRead) await call(method, filled(url), { ...body, headers: { 'if-match': '"99"' } }, 412, () => []);
  }
});

test('reading the event log leaves an entry for each kind of record in it', async () => {
  const entriesOf = ({ json }: ApiResponse): ExpectedEntry[] =>
    Object.entries(
      Object.groupBy(
        json as { event: string; data: { _id: string } }[],
        ({ event }) => event.split('.')[0] ?? '',
      ),
    ).map(([kind, events = []]) => ({
      action: 'events_read',
      kind: kind as AuditEntry['kind'],
      ids: [...new Set(events.map(({ data }) => data._id))],
    }));
  // The list returns an event only some seconds after its `loggedTime`.
  await expect
    .poll(async () =>
      entriesOf(await call('GET', '/api/events?limit=1000', {}, 200, entriesOf)).map(({ kind }) => kind),
    )
    .toEqual(expect.arrayContaining(['patient', 'appointment']));
  await call('GET', '/api/events?event=payment.created', {}, 200, () => []);
  await call('GET', '/api/events', { as: principals()[1] ?? '' }, 200, entriesOf);
});

// This test must be last, because it checks the entries of all calls above.
test('the audit trail has exactly the expected entries', async () => {
  const waiting = async () => {
    const outboxes = ['patients', 'appointments'].map((name) =>
      api.database.collection(name).countDocuments({ outboxAt: { $exists: true } }),
    );
    return (await Promise.all(outboxes)).reduce((sum, count) => sum + count, 0);
  };
  await expect.poll(waiting).toBe(0);
  const entries = await api.database
    .collection('auditEntries')
    .find({}, { sort: { part: 1, kind: 1 } })
    .toArray();
  const byRequest = Map.groupBy(entries, ({ requestId }) => requestId);
  for (const [requestId, entriesOfRequest] of expected) {
    expect(byRequest.get(requestId) ?? []).toEqual(
      entriesOfRequest.toSorted((a: any, b: any) => (a.kind < b.kind ? -1 : 1)),
    );
  }
  expect([...byRequest.keys()].filter((requestId) => !expected.has(requestId))).toEqual([]);
  expect(entries.length).toBeGreaterThan(50);
});
