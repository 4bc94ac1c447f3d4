import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { auditEntryColumns } from '../src/downloads/audit-entries.ts';
import { listAsCsv } from '../src/downloads/csv.ts';
import { deliveryColumns } from '../src/downloads/deliveries.ts';
import { type Dashboard, openDashboard, TOKEN } from './dashboard.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await openDashboard();
});
afterAll(() => dashboard.close());
afterEach(() => {
  dashboard.received.length = 0;
});

const PATH = '/downloads/auditentries.csv';
const download = (url = PATH, headers = {}) =>
  dashboard.app.inject({ method: 'GET', url, headers: { ...dashboard.signedIn, ...headers } });
const entry = (fields: object) => ({
  _id: 'e',
  time: '2030-01-31T09:30:00.000Z',
  action: 'read',
  principal: { kind: 'operator', id: 'o' },
  kind: 'patient',
  ids: ['p'],
  result: 'ok',
  requestId: 'r',
  ...fields,
});
/** The pages of the audit log that the api was asked for. */
const pagesRead = () =>
  dashboard.received.flatMap(({ url = '' }) => (url.startsWith('/api/auditentries') ? [url] : []));
const HOSTILE = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '"quoted", with comma\r\nand line',
  'a\n=1',
  'ü',
];

test('makes CSV of all pages, in which no cell is a formula', async () => {
  const pages = [
    HOSTILE.map((result) => entry({ result, ids: [result] })),
    [entry({ changes: [{ field: 'role', value: 'staff' }], address: '203.0.113.7', count: 5, part: 1 })],
    [],
  ];
  dashboard.respond = ({ url = '' }, response) => {
    if (url === '/api/operators') return void response.end('[{"_id":"o","email":"=ada@example.com"}]');
    // A list of names that cannot be read does not end the download.
    if (url === '/api/apikeys') return void response.writeHead(503).end('{}');
    const index = Number(new URL(url, 'http://api').searchParams.get('cursor') ?? 0);
    if (index < 2) response.setHeader('x-next-cursor', String(index + 1));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(pages[index]));
  };
  const response = await download(`${PATH}?kind=patient&recordId=p1&cursor=ignored&limit=1`);
  expect(response.headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': expect.stringMatching(/^attachment; filename="audit-log-\d{4}-\d\d-\d\d\.csv"$/),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  expect(pagesRead()).toEqual(
    ['', '&cursor=1', '&cursor=2'].map(
      (end) => `/api/auditentries?kind=patient&recordId=p1&limit=1000${end}`,
    ),
  );
  expect(dashboard.received[0]?.headers).toMatchObject({
    authorization: `Token ${TOKEN}`,
    'x-forwarded-for': '127.0.0.1',
  });
  const rows: Record<string, string>[] = parse(response.body, { columns: true, record_delimiter: '\r\n' });
  expect(rows).toHaveLength(HOSTILE.length + 1);
  for (const row of rows) for (const cell of Object.values(row)) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
  expect(rows.slice(0, -1).map(({ result }) => result?.replace(/^'/, ''))).toEqual(HOSTILE);
  expect(rows.at(-1)).toMatchObject({
    changes: '[{"field":"role","value":"staff"}]',
    address: '203.0.113.7',
    principalId: 'o',
    principalName: "'=ada@example.com",
    count: '5',
  });
});

test('forwards refusals of the api, and refuses other sites and people who are not signed in', async () => {
  const refuse = (status: number) => {
    dashboard.respond = (_received, response) =>
      void response.writeHead(status, { 'retry-after': '7' }).end('{"name":"Refused"}');
  };
  refuse(403);
  const forbidden = await download();
  expect([forbidden.statusCode, forbidden.json()]).toEqual([403, { name: 'Refused' }]);
  expect(forbidden.headers).not.toHaveProperty('content-disposition');
  refuse(429);
  const limited = await download();
  expect([limited.statusCode, limited.headers['retry-after']]).toEqual([429, '7']);
  refuse(401);
  expect(String((await download()).headers['set-cookie'])).toContain('Expires=Thu, 01 Jan 1970');
  dashboard.received.length = 0;
  expect((await download(PATH, { cookie: '' })).statusCode).toBe(401);
  expect((await download(PATH, { 'sec-fetch-site': 'cross-site' })).statusCode).toBe(403);
  expect(dashboard.received).toEqual([]);
  dashboard.respond = (_received, response) => void response.destroy();
  expect((await download()).statusCode).toBe(503);
});

/** Begins a download over the network. */
const begin = (path = PATH) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { ...dashboard.signedIn };
    request(dashboard.address + path, { headers }, resolve)
      .on('error', reject)
      .end();
  });

test('a file remains incomplete if the api does not finish it', async () => {
  dashboard.respond = ({ url = '' }, response) => {
    if (url.includes('cursor')) return void response.writeHead(500).end('{}');
    response.writeHead(200, { 'x-next-cursor': '1' }).end(JSON.stringify([entry({})]));
  };
  await expect(text(await begin())).rejects.toThrow('aborted');
  // The file continues after the api has refused a page because of a limit.
  let isLimited = true;
  dashboard.respond = ({ url = '' }, response) => {
    if (!url.includes('cursor'))
      return void response.writeHead(200, { 'x-next-cursor': '1' }).end(JSON.stringify([entry({})]));
    if (isLimited) response.writeHead(429, { 'retry-after': '1' }).end('{}');
    else response.end(JSON.stringify([entry({})]));
    isLimited = false;
  };
  expect((await text(await begin())).match(/\r\n/g)).toHaveLength(3);
});

test('requests a page when the previous one has been taken, and none after the reader has disconnected', async () => {
  const page = (nextCursor: string | null) => ({
    status: 200,
    body: [entry({})],
    retryAfter: null,
    nextCursor,
  });
  let requests = 0;
  const readNext = async (cursor: string) => {
    requests++;
    return page(String(Number(cursor) + 1));
  };
  const lines = listAsCsv({
    ...{ columns: auditEntryColumns, first: page('1'), readNext, names: new Map() },
    signal: new AbortController().signal,
  });
  await lines.next();
  await lines.next();
  expect(requests).toBe(0);
  await lines.next();
  expect(requests).toBe(1);
  await lines.return();
  expect(requests).toBe(1);

  // Over the network, a reader that disconnects ends the request of the next page.
  const left = Promise.withResolvers<void>();
  dashboard.respond = ({ url = '' }, response) => {
    response.writeHead(200, { 'x-next-cursor': '1' });
    if (!url.includes('cursor')) return void response.end(JSON.stringify([entry({})]));
    response.on('close', left.resolve);
    response.write(' ');
    stopped.then((each) => each.destroy());
  };
  const stopped = begin();
  (await stopped).resume();
  await left.promise;
  expect(pagesRead()).toHaveLength(2);
});

const DELIVERIES = '/downloads/deliveries.csv';
const delivery = (fields: object) => ({
  ...{ _id: 'd', subscriptionId: 's', clinicId: 'c', eventId: 'e', event: 'patient.created', kind: 'event' },
  ...{ outcome: 'failed', cause: 'timeout', createdTime: '2030-01-31T09:30:00.000Z', ...fields },
});

test('a file of deliveries names the clinic and the receiver, without the query of its URL and without bodies', async () => {
  dashboard.respond = ({ url = '' }, response) => {
    if (url === '/api/clinics') return void response.end('[{"_id":"c","name":"=Mitte"}]');
    const attempted = delivery({
      ...{ attemptTime: '2030-01-31T09:30:01.000Z', duration: 5000.5, statusCode: 504, requestId: 'r' },
      ...{ url: 'https://receiver.example:8443/in/x?token=hidden', responseBody: 'Ada Beispiel' },
      ...{ reason: 'Ada Beispiel', address: '203.0.113.7' },
    });
    response.end(JSON.stringify([attempted, delivery({ outcome: 'queued', cause: undefined })]));
  };
  const response = await download(`${DELIVERIES}?outcome=failed`);
  expect(response.headers['content-disposition']).toMatch(/filename="deliveries-\d{4}-\d\d-\d\d\.csv"$/);
  expect(dashboard.received.map(({ url }) => url)).toContain(
    '/api/webhookdeliveries?outcome=failed&limit=1000',
  );
  expect(dashboard.received.some(({ headers }) => 'x-download' in headers)).toBe(false);
  const rows: Record<string, string>[] = parse(response.body, { columns: true, record_delimiter: '\r\n' });
  const both = {
    event: 'patient.created',
    eventId: 'e',
    deliveryId: 'd',
    subscriptionId: 's',
    kind: 'event',
  };
  const where = { clinicId: 'c', clinicName: "'=Mitte", createdTime: '2030-01-31T09:30:00.000Z' };
  expect(rows).toEqual([
    {
      ...{ ...both, ...where, attemptTime: '2030-01-31T09:30:01.000Z', outcome: 'failed', attempts: '1' },
      ...{ receiverHost: 'receiver.example:8443', receiverPath: '/in/x' },
      ...{ statusCode: '504', cause: 'timeout', durationMs: '5000.5' },
    },
    {
      ...{ ...both, ...where, attemptTime: '', outcome: 'queued', attempts: '0' },
      ...{ receiverHost: '', receiverPath: '', statusCode: '', cause: '', durationMs: '' },
    },
  ]);
});

test('a file that is cut says so in its last row, and a file that is not cut does not', async () => {
  const page = (count: number, nextCursor: string | null) => ({
    ...{ status: 200, retryAfter: null, nextCursor },
    body: Array.from({ length: count }, () => delivery({})),
  });
  const rowsOf = async (...pages: ReturnType<typeof page>[]) => {
    const [first, ...rest] = pages;
    if (first === undefined) throw new Error('there is no page');
    const lines = listAsCsv({
      ...{ columns: deliveryColumns, first, names: new Map(), signal: new AbortController().signal },
      ...{ maxRows: 3, readNext: async () => rest.shift() ?? page(0, null) },
    });
    let csv = '';
    for await (const line of lines) csv += line;
    const rows: Record<string, string>[] = parse(csv, { columns: true, record_delimiter: '\r\n' });
    return rows.map(({ createdTime }) => createdTime);
  };
  const row = '2030-01-31T09:30:00.000Z';
  const cut = 'This file ends after 3 rows. Choose a shorter time for the others.';
  expect(await rowsOf(page(2, '1'), page(2, null))).toEqual([row, row, row, cut]);
  expect(await rowsOf(page(3, '1'), page(0, '2'), page(1, null))).toEqual([row, row, row, cut]);
  expect(await rowsOf(page(2, '1'), page(1, '2'), page(0, null))).toEqual([row, row, row]);
});

const EXPORT = '/downloads/patients/01JB0000000000000000PAT1E0';

test('the export of a patient is a file that is named after the id, as the api sends it', async () => {
  const sent = '{"patient":{"_id":"01JB0000000000000000PAT1E0"},"reads":[]}';
  dashboard.respond = (_received, response) => void response.end(sent);
  const response = await download(EXPORT);
  expect([response.statusCode, response.body]).toEqual([200, sent]);
  expect(response.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'content-disposition': expect.stringMatching(
      /^attachment; filename="patient-01JB0000000000000000PAT1E0-\d{4}-\d\d-\d\d\.json"$/,
    ),
    'cache-control': 'no-store',
  });
  expect(dashboard.received).toMatchObject([
    {
      url: '/api/patients/01JB0000000000000000PAT1E0/export',
      headers: { authorization: `Token ${TOKEN}`, 'x-forwarded-for': '127.0.0.1' },
    },
  ]);
  dashboard.received.length = 0;
  for (const id of ['a%2Fb', '..%2F..', 'a?b', 'a%20b'])
    expect((await download(`/downloads/patients/${id}`)).statusCode).toBe(id === 'a?b' ? 200 : 404);
  expect((await download(EXPORT, { cookie: '' })).statusCode).toBe(401);
  expect((await download(EXPORT, { 'sec-fetch-site': 'cross-site' })).statusCode).toBe(403);
  expect(dashboard.received.map(({ url }) => url)).toEqual(['/api/patients/a/export']);
});

test('a refusal of an export is forwarded, and is no file', async () => {
  for (const status of [401, 403, 404, 429]) {
    dashboard.respond = (_received, response) =>
      void response.writeHead(status, { 'retry-after': '7' }).end('{"name":"Refused"}');
    const { statusCode, headers, body } = await download(EXPORT);
    expect([statusCode, body, headers['retry-after']]).toEqual([status, '{"name":"Refused"}', '7']);
    expect(headers).not.toHaveProperty('content-disposition');
    expect(String(headers['set-cookie']).includes('Expires=Thu, 01 Jan 1970')).toBe(status === 401);
  }
});

test('an export arrives as the api sends it, remains incomplete if that ends, and ends with its reader', async () => {
  let end: () => void = () => {};
  dashboard.respond = (_received, response) => {
    response.writeHead(200).write('{"patient":');
    end = () => void response.destroy();
  };
  const cut = await begin(EXPORT);
  const [first] = await once(cut, 'data');
  expect(String(first)).toBe('{"patient":');
  end();
  await expect(text(cut)).rejects.toThrow('aborted');

  const gone = Promise.withResolvers<void>();
  dashboard.respond = (_received, response) => {
    response.on('close', gone.resolve);
    response.writeHead(200).write('{"patient":');
  };
  const abandoned = await begin(EXPORT);
  await once(abandoned, 'data');
  abandoned.destroy();
  await gone.promise;
});
