import type { AuditEntry } from '@chairside/domain';
import { basic, type ServiceProcess, startDispatcher, untilDispatching } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RouteEntry } from '../src/http/route-list.ts';
import { type Answer, type CallOptions, openTestApi, type TestApi, token } from './api.ts';
import { createReadOnlyRecords } from './read-only-records.ts';

/*
 * Taken from the app's own list of routes, so that none can be forgotten: each is about patients, and then a call leaves
 * exactly its entries, or it is named here with the reason why it leaves none.
 */
const KIND_OF: Readonly<Record<string, AuditEntry['kind']>> = {
  patients: 'patient',
  appointments: 'appointment',
  invoices: 'invoice',
  payments: 'payment',
  treatments: 'treatment',
};
const NOT_ABOUT_PATIENTS: Readonly<Record<string, string>> = {
  clinics: 'a clinic is about nobody',
  sessions: 'about operators',
  operators: 'about operators',
  apikeys: 'about programs',
  webhooksubscriptions: 'about receivers, and the ids of what they got',
  webhookdeliveries: 'about receivers, and the ids of what they got',
  auditentries: 'the trail itself',
  docs: 'the reference',
  'openapi.json': 'the reference',
  health: 'the service',
  '': 'the way to the documentation',
};

type Told = Pick<AuditEntry, 'action' | 'kind' | 'ids'> & Partial<Pick<AuditEntry, 'result' | 'part'>>;
type Route = RouteEntry & { kind: AuditEntry['kind']; isList: boolean };

let api: TestApi;
let dispatcher: ServiceProcess;
let ids: Record<string, string>;
/** What each request must have left, by its id. */
const expected = new Map<string, object[]>();

const resourceOf = (url: string): string => url.replace(/^\/(api\/)?/, '').split('/')[0] ?? '';
const idsOf = (rows: { _id: string }[]): string[] => rows.map(({ _id }) => _id);

/** Makes a call of which is told what it must leave. */
const call = async (
  method: string,
  path: string,
  options: CallOptions,
  status: number,
  told: (answer: Answer) => Told[],
): Promise<Answer> => {
  const answer = await api.call(method, path, options);
  expect({ method, path, status: answer.status }).toEqual({ method, path, status });
  const isKey = options.as?.startsWith('Basic') ?? true;
  expected.set(
    answer.headers.get('x-request-id') ?? '',
    told(answer).map((entry) => ({
      _id: expect.any(String),
      organizationId: api.practice.organizationId,
      time: expect.any(Date),
      expireAt: expect.any(Date),
      principal: isKey
        ? { kind: 'apiKey', id: expect.any(String) }
        : { kind: 'operator', id: api.practice.staff._id },
      result: 'ok',
      requestId: answer.headers.get('x-request-id'),
      ...entry,
    })),
  );
  return answer;
};

beforeAll(async () => {
  api = await openTestApi();
  dispatcher = startDispatcher(api.environment);
  await untilDispatching(dispatcher);
  const body = { clinicId: api.practice.clinicIds[0] };
  ids = {};
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
    if (kind === undefined || !methods.includes(route.method)) return [];
    return [{ ...route, kind, isList: !route.url.includes(':') }];
  });
const principals = () => [basic(api.practice.apiKey), token(api.practice.staff.token)];

test('each route is known to be about patients, or not; what is, is one that the tests below call', () => {
  const called = [
    ...routesOf('GET', 'HEAD'),
    ...routesOf('POST').filter(({ isList }) => isList),
    ...routesOf('PUT', 'DELETE').filter(({ isList }) => !isList),
  ].map(({ method, url }) => `${method} ${url}`);
  const forms = /^\/api\/[a-z]+(\/:\w+)?$/;
  for (const { method, url } of api.app.routeList) {
    const resource = resourceOf(url);
    if (NOT_ABOUT_PATIENTS[resource] !== undefined || resource === 'events') continue;
    expect(KIND_OF).toHaveProperty(resource);
    expect(called).toContain(`${method} ${url}`);
    expect(url).toMatch(forms);
  }
});

test('what is said not to be about patients answers nothing of them', () => {
  const document = JSON.parse(api.app.openApi);
  /** The names of the schemas that are in a part of the document, however deep. */
  const schemasIn = (part: unknown, known = new Set<string>()): Set<string> => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (known.has(name)) continue;
      known.add(name);
      schemasIn(document.components.schemas[name], known);
    }
    return known;
  };
  const records = ['Patient', 'Appointment', 'Invoice', 'Payment', 'Treatment', 'Event'];
  const told = (url: string) => {
    const { get, post, put, delete: gone } = document.paths[url.replace(/:(\w+)/g, '{$1}')];
    return [...schemasIn([get, post, put, gone].map((operation) => operation?.responses?.['200'] ?? {}))];
  };
  for (const { method, url } of api.app.routeList) {
    const expectation = { method, url, told: told(url).filter((name) => records.includes(name)) };
    if (NOT_ABOUT_PATIENTS[resourceOf(url)] === undefined) expect(expectation.told).toHaveLength(1);
    else expect(expectation).toEqual({ method, url, told: [] });
  }
});

test('reads: the record or the rows; of a HEAD the record, and no rows, for none is shown', async () => {
  for (const { method, url, kind, isList } of routesOf('GET', 'HEAD')) {
    const known = idsOf((await api.database.collection(`${kind}s`).find().toArray()) as never[]);
    for (const as of principals()) {
      const path = filled(url);
      await call(method, path, { as }, 200, ({ json }) => {
        if (method === 'GET')
          expect(isList ? idsOf(json) : json._id).toEqual(isList ? known : ids[`${kind}Id`]);
        if (isList) return method === 'HEAD' ? [] : [{ action: 'listed', kind, ids: known, part: 1 }];
        return [{ action: 'read', kind, ids: known, ...(method === 'HEAD' && { result: 'headers' }) }];
      });
      if (isList) {
        const listed = (...listedIds: string[]): Told[] =>
          method === 'HEAD' ? [] : [{ action: 'listed', kind, ids: listedIds, part: 1 }];
        await call(method, `${path}?limit=10&fields=_id`, { as }, 200, () => listed(...known));
        await call(method, `${path}?updatedSince=2100-01-01T00:00:00Z`, { as }, 200, () => listed());
      } else {
        await call(method, path, { as, headers: { 'if-none-match': '*' } }, 304, () => [
          { action: 'read', kind, ids: known, result: 'not_modified' },
        ]);
      }
    }
  }
});

test('writes: one entry each, made from the event; a repeated one is a read of what was made', async () => {
  const [clinicId] = api.practice.clinicIds;
  for (const as of principals()) {
    for (const { url, kind } of routesOf('POST')) {
      const options = { as, body: { clinicId }, headers: { 'idempotency-key': `of ${url}` } };
      const { json } = await call('POST', url, options, 200, ({ json: { _id } }) => [
        { action: 'created', kind, ids: [_id] },
      ]);
      const again = await call('POST', url, options, 200, () => [{ action: 'read', kind, ids: [json._id] }]);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
    }
    for (const { method, url, kind } of routesOf('PUT', 'DELETE')) {
      const { json } = await call('POST', `/api/${kind}s`, { as, body: { clinicId } }, 200, (created) => [
        { action: 'created', kind, ids: [created.json._id] },
      ]);
      const isPut = method === 'PUT';
      await call(method, filled(url, json._id), { as, ...(isPut && { body: {} }) }, 200, () => [
        { action: isPut ? 'updated' : 'deleted', kind, ids: [json._id] },
      ]);
    }
  }
});

test('what is refused leaves none', async () => {
  const { secret } = await api.practice.store.apiKeys.create(
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
    await call(method, filled(url, 'missing'), body, 404, () => []);
    await call(method, filled(url), { ...body, as: stranger }, 404, () => []);
    if (!isRead) await call(method, filled(url), { ...body, headers: { 'if-match': '"99"' } }, 412, () => []);
  }
});

test('the log of events: an entry for each kind of record that it tells of', async () => {
  const toldBy = ({ json }: Answer): Told[] =>
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
  // What has just entered it waits.
  await expect
    .poll(async () =>
      toldBy(await call('GET', '/api/events?limit=1000', {}, 200, toldBy)).map(({ kind }) => kind),
    )
    .toEqual(expect.arrayContaining(['patient', 'appointment']));
  await call('GET', '/api/events?event=payment.created', {}, 200, () => []);
  await call('GET', '/api/events', { as: principals()[1] ?? '' }, 200, toldBy);
});

// Last: it looks at what all calls above have left.
test('the trail has exactly these entries', async () => {
  const waiting = async () => {
    const outboxes = ['patients', 'appointments'].map((name) =>
      api.database.collection(name).countDocuments({ outboxAt: { $exists: true } }),
    );
    return (await Promise.all(outboxes)).reduce((sum, count) => sum + count, 0);
  };
  await expect.poll(waiting, { timeout: 20_000 }).toBe(0);
  const entries = await api.database
    .collection('auditEntries')
    .find({}, { sort: { part: 1, kind: 1 } })
    .toArray();
  const byRequest = Map.groupBy(entries, ({ requestId }) => requestId);
  for (const [requestId, told] of expected) {
    expect(byRequest.get(requestId) ?? []).toEqual(
      told.toSorted((a: any, b: any) => (a.kind < b.kind ? -1 : 1)),
    );
  }
  expect([...byRequest.keys()].filter((requestId) => !expected.has(requestId))).toEqual([]);
  expect(entries.length).toBeGreaterThan(50);
});
