import { newId } from '@chairside/domain';
import {
  basic,
  plantTreatments,
  quickPasswords,
  startDatabaseProxy,
  testEngines,
} from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiResponse, openTestApi, type TestApi } from './api.ts';
import { createReadOnlyRecords } from './read-only-records.ts';

let api: TestApi;
let clinicId: string;
beforeAll(async () => {
  api = await openTestApi();
  [clinicId] = api.practice.clinicIds;
  // Several appointments start at the same time, and some have no start. The lists must return each of them once.
  const { appointments } = api.practice.store;
  await Promise.all(
    Array.from({ length: 57 }, (_, index) => {
      const start = index % 5 === 0 ? undefined : new Date(Date.UTC(2030, 0, 1 + (index % 7))).toISOString();
      return appointments.create({
        _id: newId(),
        clinicId,
        ...(start && { startTime: start }),
        status: 'REQUESTED',
        procedures: [],
        reminders: [],
        createdTime: new Date(Date.UTC(2030, 0, 1)).toISOString(),
        lastEditTime: new Date(Date.UTC(2030, 1, 1, 0, index % 10)).toISOString(),
      });
    }),
  );
});
afterAll(() => api.close());

const nextPath = ({ headers }: ApiResponse): string | undefined =>
  /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

/** Follows the links from page to page. */
const pages = async (first: string): Promise<any[][]> => {
  const all: any[][] = [];
  for (let path: string | undefined = first; path !== undefined; ) {
    const response: ApiResponse = await api.call('GET', path);
    expect(response.status).toBe(200);
    all.push(response.json);
    path = nextPath(response);
    const cursor = response.headers.get('x-next-cursor');
    expect(path?.includes(`cursor=${cursor}`)).toBe(path === undefined ? undefined : true);
  }
  return all;
};

describe('filters', () => {
  test('by status, one or several; by the clinic of a treatment', async () => {
    const as = basic(api.stranger.apiKey);
    const [own, other] = api.stranger.clinicIds;
    const create = async (status: string) => {
      const body = { clinicId: other, status };
      return (await api.call('POST', '/api/appointments', { as, body })).json._id;
    };
    const noShow = await create('NO_SHOW');
    const canceled = await create('CANCELED');
    const idsIn = async (path: string) =>
      (await api.call('GET', path, { as })).json.map(({ _id }: { _id: string }) => _id).toSorted();
    expect(await idsIn('/api/appointments?status=NO_SHOW')).toEqual([noShow]);
    expect(await idsIn('/api/appointments?status=NO_SHOW,CANCELED&limit=10')).toEqual(
      [noShow, canceled].toSorted(),
    );
    expect(await idsIn(`/api/appointments?status=NO_SHOW&clinicId=${own}`)).toEqual([]);
    const unknown = await api.call('GET', '/api/appointments?status=LATE');
    expect(unknown.json.details.issues).toMatchObject([
      { path: 'status', message: expect.stringContaining('must be one or more of REQUESTED') },
    ]);

    const { invoiceId, treatmentId } = await createReadOnlyRecords(api.stranger, 'patient');
    expect(await idsIn('/api/invoices?status=OPEN')).toEqual([invoiceId]);
    expect(await idsIn('/api/invoices?status=PAID,VOID')).toEqual([]);
    expect(await idsIn(`/api/treatments?clinicId=${own}`)).toEqual([treatmentId]);
    expect(await idsIn(`/api/treatments?clinicId=${other}&limit=10`)).toEqual([]);
  });
});

describe('paging', () => {
  test.each(['', '&fields=status', '&updatedSince=2030-02-01T00:03:00Z', '&endTime=2030-01-05T00:00:00Z'])(
    'the pages together contain the whole list, with %s',
    async (query) => {
      const whole = await api.call('GET', `/api/appointments?clinicId=${clinicId}${query}`);
      const all = await pages(`/api/appointments?clinicId=${clinicId}${query}&limit=10`);
      expect(all.flat()).toEqual(whole.json);
      expect(all.slice(0, -1).every((page) => page.length === 10)).toBe(true);
    },
  );

  test('a page that ends with the list has no next page', async () => {
    const response = await api.call('GET', '/api/clinics?limit=2');
    expect(response.json).toHaveLength(2);
    expect(nextPath(response)).toBeUndefined();
    expect(response.headers.has('x-next-cursor')).toBe(false);
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=ten', 'limit'],
    ['cursor=abc', 'limit'],
    ['limit=10&cursor=abc', 'cursor'],
    ['limit=10&cursor=', 'cursor'],
    ['updatedSince=yesterday', 'updatedSince'],
  ])('refuses ?%s', async (query, path) => {
    const { status, json } = await api.call('GET', `/api/appointments?${query}`);
    expect(status).toBe(400);
    expect(json.details.issues[0].path).toBe(path);
  });

  test('refuses a forged cursor, and a cursor of another list, filter or organization', async () => {
    const first = await api.call('GET', `/api/appointments?clinicId=${clinicId}&limit=5`);
    const cursor = first.headers.get('x-next-cursor') ?? '';
    const forged = `${cursor.slice(0, -2)}${cursor.endsWith('A') ? 'BB' : 'AA'}`;
    const uses = [
      [`/api/appointments?clinicId=${clinicId}&limit=5&cursor=${forged}`, basic(api.practice.apiKey)],
      [`/api/appointments?limit=5&cursor=${cursor}`, basic(api.practice.apiKey)],
      [`/api/patients?clinicId=${clinicId}&limit=5&cursor=${cursor}`, basic(api.practice.apiKey)],
      [`/api/appointments?clinicId=${clinicId}&limit=5&cursor=${cursor}`, basic(api.stranger.apiKey)],
    ] as const;
    for (const [path, as] of uses) {
      const { status, json } = await api.call('GET', path, { as });
      expect({ path, status }).toEqual({ path, status: 400 });
      expect(json.details.issues[0].path).toBe('cursor');
    }
    const same = await api.call('GET', `/api/appointments?clinicId=${clinicId}&limit=7&cursor=${cursor}`);
    expect(same.status).toBe(200);
    expect(cursor).not.toContain(first.json[4]._id);
  });
});

test('projects in the database: no list reads a field that was not selected', async () => {
  const { paths } = JSON.parse(api.app.openApi);
  const lists = Object.keys(paths).filter((path) =>
    paths[path].get?.parameters?.some(({ name }: { name?: string }) => name === 'fields'),
  );
  expect(lists).toHaveLength(9);
  /** The fields that the api requests from the database. */
  const projectionOf = async (path: string): Promise<string[]> => {
    api.statements.length = 0;
    expect((await api.call('GET', path)).status).toBe(200);
    const reads = api.statements.filter(({ find }) => find?.toLowerCase() === path.split(/[/?]/)[2]);
    expect(reads).toHaveLength(1);
    return Object.keys(reads[0]?.projection);
  };
  for (const path of lists) {
    const { schema } = paths[path].get.parameters.find(({ name }: { name?: string }) => name === 'fields');
    const field = schema.items.enum.at(-1);
    expect(await projectionOf(`${path}?fields=${field}`)).toEqual([field, '_id']);
    const whole = await projectionOf(path);
    expect(whole).toContain(field);
    for (const own of ['outbox', 'outboxAt', 'organizationId', 'revision']) expect(whole).not.toContain(own);
    // The cursor needs the values by which the list is ordered, so these fields are read too.
    const page = await projectionOf(`${path}?fields=_id&limit=1`);
    const order = /providers|procedures/.test(path) ? /^(_id|name)$/ : /^(_id|startTime|creationTime)$/;
    expect(page.filter((name) => !order.test(name))).toEqual([]);
  }
});

describe('entity tags', () => {
  const create = () => api.call('POST', '/api/patients', { body: { clinicId } });

  test('POST, GET and PUT return one, which changes with the record', async () => {
    const created = await create();
    const path = `/api/patients/${created.json._id}`;
    expect(created.headers.get('etag')).toBe('"1"');
    expect((await api.call('GET', path)).headers.get('etag')).toBe('"1"');
    const updated = await api.call('PUT', path, { body: { name: 'x' }, headers: { 'if-match': '"1"' } });
    expect(updated.headers.get('etag')).toBe('"2"');
    const stale = await api.call('PUT', path, { body: { name: 'y' }, headers: { 'if-match': '"1"' } });
    expect({ status: stale.status, name: stale.json.name }).toEqual({
      status: 412,
      name: 'PreconditionFailed',
    });
    expect((await api.call('DELETE', path, { headers: { 'if-match': '"1"' } })).status).toBe(412);
    expect((await api.call('DELETE', path, { headers: { 'if-match': '"7", "2"' } })).status).toBe(200);
    expect((await api.call('DELETE', path, { headers: { 'if-match': '"2"' } })).status).toBe(404);
  });

  test.each([
    ['*', 200],
    // nginx, Apache (mod_deflate, mod_brotli), earlier versions of Apache, Jetty.
    ['W/"1"', 200],
    ['"1-gzip"', 200],
    ['W/"1-gzip"', 200],
    ['"1-br"', 200],
    ['"1;gzip"', 200],
    ['"1--gzip"', 200],
    ['"9", W/"1"', 200],
    ['W/"2"', 412],
    ['"2-gzip"', 412],
    ['"1-other"', 412],
    ['"-gzip"', 412],
    ['"abc"', 412],
    ['w/"1"', 400],
    ['W/1', 400],
    ['1', 400],
  ])('responds to If-Match: %s with %i', async (header, status) => {
    const { json } = await create();
    const response = await api.call('PUT', `/api/patients/${json._id}`, {
      body: {},
      headers: { 'if-match': header },
    });
    expect(response.status).toBe(status);
  });

  test('If-None-Match avoids the body of a version that the caller has', async () => {
    const { json } = await create();
    const path = `/api/patients/${json._id}`;
    for (const header of ['"1"', 'W/"1"', '"1-gzip"', 'W/"1-br"', '"9", "1"', '*']) {
      const { status, text, headers } = await api.call('GET', path, { headers: { 'if-none-match': header } });
      expect({ status, text, etag: headers.get('etag') }).toEqual({ status: 304, text: '', etag: '"1"' });
    }
    expect((await api.call('GET', path, { headers: { 'if-none-match': '"2"' } })).status).toBe(200);
  });
});

/** Longer than the buffers between the database and a reader. */
const LONG_LIST = { rows: 20_000, nameLength: 400 };

test('closes the cursor in the database if the caller disconnects during a list', async () => {
  await plantTreatments(api, LONG_LIST);
  const leaving = new AbortController();
  const response = await fetch(`${api.url}/api/treatments`, {
    headers: { authorization: basic(api.practice.apiKey) },
    signal: leaving.signal,
  });
  const reader = response.body?.getReader();
  await reader?.read();
  leaving.abort();
  await expect.poll(() => api.commands.includes('killCursors')).toBe(true);
  const whole = await api.call('GET', '/api/treatments');
  expect(whole.json).toHaveLength(20_000);
});

test('closes the connection if the database fails during a list, so the received part is not valid JSON', async () => {
  const proxy = await startDatabaseProxy(testEngines().mongodbUrl);
  const faulty = await openTestApi([], [], { passwords: quickPasswords, mongodbUrl: proxy.url });
  await plantTreatments(faulty, LONG_LIST);
  const response = await fetch(`${faulty.url}/api/treatments`, {
    headers: { authorization: basic(faulty.practice.apiKey) },
  });
  expect(response.status).toBe(200);
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let received = decoder.decode((await reader?.read())?.value, { stream: true });
  // The proxy reports that the database has lost the cursor. Killing the cursor during a getMore would crash FerretDB.
  proxy.inject({ matches: (name) => name === 'getMore', fault: { kind: 'error', code: 43 } });
  const rest = async () => {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) return;
      received += decoder.decode(value, { stream: true });
    }
  };
  await expect(rest()).rejects.toThrow();
  expect(received).toMatch(/^\[\{"_id":"treatment-/);
  expect(() => JSON.parse(received)).toThrow();
  await faulty.close();
  await proxy.close();
});
