import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { basic, createKey, createPractice, type Practice } from '@chairside/test-support';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi } from './api.ts';
import { createLargeAppointments } from './large-appointments.ts';

/** The number of appointments of 160 kB in a list. Such a list exceeds the socket buffers of the system. */
const LARGE = 80;

let api: TestApi;
let third: Practice;
/** The clock that finds stalled responses, in milliseconds. */
let time = 0;
const asking = new Set<ClientRequest>();

beforeAll(async () => {
  api = await openTestApi([], [], { watch: { now: () => time, interval: 20 } });
  third = await createPractice(api.store);
  for (const practice of [api.practice, api.stranger, third]) await createLargeAppointments(practice, LARGE);
});
afterAll(() => api.close());
afterEach(async () => {
  for (const each of asking) each.destroy();
  asking.clear();
  await expect.poll(() => metric('chairside_api_streams')).toBe(0);
});

/** @param of a label of the metric, and its value */
const metric = async (name: string, of: Record<string, string> = {}): Promise<number> => {
  const { text } = await api.metrics.expose();
  const [[label, value] = []] = Object.entries(of);
  const labels = label === undefined ? '(?:\\{.*\\})?' : `\\{.*${label}="${value}".*\\}`;
  return Number(new RegExp(`^${name}${labels} (\\S+)$`, 'm').exec(text)?.[1]);
};

/** Requests a path and reads only the headers. */
const askAndWait = async (path: string, as: string, headers = {}): Promise<IncomingMessage> => {
  const call = request(api.url + path, { agent: false, headers: { authorization: as, ...headers } });
  asking.add(call);
  call.on('error', () => {});
  call.end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  return response;
};

const newKey = async (practice: Practice): Promise<string> => {
  const { secret } = await createKey(
    practice.store,
    { name: 'x', scopes: ['appointments:read', 'patients:read'], rateLimit: 1000 },
    new Date(),
  );
  return basic(secret);
};

const LIST = '/api/appointments';
const PAGE = '/api/appointments?limit=1000';

describe('slow readers', () => {
  test.each([
    ['a list', LIST, {}],
    ['a compressed list', LIST, { 'accept-encoding': 'gzip' }],
    ['a page', PAGE, {}],
  ])('closes the connection of %s after 30 s without a sent byte', async (_name, path, headers) => {
    const before = await metric('chairside_api_responses_aborted_total');
    const response = await askAndWait(path, await newKey(api.practice), headers);
    expect(response.statusCode).toBe(200);
    // The reader reads nothing, and the test advances the clock.
    await expect
      .poll(async () => {
        time += 31_000;
        return (await metric('chairside_api_responses_aborted_total')) - before;
      })
      .toBe(1);
    await expect.poll(() => metric('chairside_api_streams')).toBe(0);
    await expect(buffer(response)).rejects.toThrow();
    const requestId = response.headers['x-request-id'];
    const lines = api.logs.map((line) => JSON.parse(line)).filter((line) => line.requestId === requestId);
    expect(lines.map(({ msg }) => msg)).toEqual(['request aborted']);
  });

  test('closes the connection of a reader that takes less than 16 KiB per second on average', async () => {
    const before = await metric('chairside_api_responses_aborted_total');
    const response = await askAndWait(LIST, await newKey(api.practice));
    await expect
      .poll(async () => {
        response.read(65_536);
        time += 10_000;
        return (await metric('chairside_api_responses_aborted_total')) - before;
      })
      .toBe(1);
    await expect.poll(() => metric('chairside_api_streams')).toBe(0);
  });

  test('sends the whole list to a reader that pauses for a shorter time', async () => {
    const response = await askAndWait(LIST, await newKey(api.practice));
    await once(response, 'readable');
    time += 29_000;
    const whole = JSON.parse((await buffer(response)).toString());
    expect(whole).toHaveLength(LARGE);
  });
});

describe('streams', () => {
  /** Opens this many streams and keeps them open. */
  const open = async (as: string, count: number): Promise<void> => {
    for (let opened = 0; opened < count; opened++)
      expect((await askAndWait(opened % 2 === 0 ? LIST : PAGE, as)).statusCode).toBe(200);
  };
  const refusal = async (path: string, as: string) => {
    const { status, headers, json } = await api.call('GET', path, { as });
    return { status, name: json.name, retryAfter: headers.get('retry-after'), message: json.message };
  };

  test('returns 429 beyond four streams of a key or eight of an organization, 503 beyond sixteen, and serves short lists', async () => {
    const [first, second] = [await newKey(api.practice), await newKey(api.practice)];
    await open(first, 4);
    expect(await refusal(LIST, first)).toEqual({
      status: 429,
      name: 'TooManyRequests',
      retryAfter: '5',
      message: expect.stringContaining('At most 4 long lists'),
    });
    expect(await refusal(PAGE, first)).toMatchObject({ status: 429 });
    await open(second, 4);
    expect(await refusal(LIST, await newKey(api.practice))).toMatchObject({
      status: 429,
      message: expect.stringContaining('At most 8 long lists'),
    });
    for (const key of [await newKey(api.stranger), await newKey(api.stranger)]) await open(key, 4);
    const other = await newKey(third);
    expect(await refusal(LIST, other)).toMatchObject({
      status: 503,
      name: 'ServiceUnavailable',
      retryAfter: '5',
    });
    expect(await refusal(PAGE, other)).toMatchObject({ status: 503 });
    const short = await api.call('GET', `${LIST}?fields=_id`, { as: other });
    expect(short.json).toHaveLength(LARGE);
    expect(await metric('chairside_api_streams')).toBe(16);
    expect(await metric('chairside_api_refusals_total', { limit: 'streams' })).toBe(2);
    const [left] = asking;
    left?.destroy();
    await expect.poll(async () => (await askAndWait(LIST, other)).statusCode).toBe(200);
  });

  test('a list that is refused because of too many streams returns no row and leaves no audit entry', async () => {
    const as = await newKey(api.practice);
    await open(as, 4);
    for (const path of [LIST, PAGE]) {
      const refused = await api.call('GET', path, { as });
      expect(refused.status).toBe(429);
      const requestId = refused.headers.get('x-request-id');
      expect(await api.database.collection('auditEntries').countDocuments({ requestId })).toBe(0);
    }
  });
});

test('reads rows in batches of limited bytes', async () => {
  api.statements.length = 0;
  for (const path of [LIST, PAGE, '/api/events?limit=1000']) await api.call('GET', path);
  const reads = api.statements.filter(
    ({ find, getMore }) => find === 'appointments' || find === 'events' || getMore,
  );
  expect(reads.length).toBeGreaterThan(3);
  for (const { batchSize } of reads) expect(batchSize).toBeLessThanOrEqual(24);
});

test('a HEAD of a list reads no row and leaves no audit entry, and an invalid one is refused', async () => {
  for (const path of [
    'patients',
    'appointments',
    'invoices',
    'payments',
    'treatments',
    'clinics',
    'events',
  ]) {
    for (const query of ['', '?limit=5']) {
      api.statements.length = 0;
      const { status, headers, text } = await api.call('HEAD', `/api/${path}${query}`);
      expect({ path, status, text }).toEqual({ path, status: 200, text: '' });
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(api.statements.filter(({ find, insert }) => find === path || insert === 'auditEntries')).toEqual(
        [],
      );
    }
    expect((await api.call('HEAD', `/api/${path}?limit=5&cursor=x`)).status).toBe(400);
  }
});

test('neither reads nor audits a list whose caller disconnects while it waits for its turn', async () => {
  const as = await newKey(api.practice);
  // Four other organizations hold all turns until `finish` is called.
  const { promise, resolve: finish } = Promise.withResolvers<void>();
  const held = Array.from({ length: 8 }, (_, index) => {
    const principal = { organizationId: `other ${index % 4}` };
    const request = { principal, authorizeAgain: async () => {}, endTurn() {} };
    // The admission reads only these fields of a request.
    return api.app.listAdmission.inTurn({ request, raw: { destroyed: false } } as never, () => promise);
  });
  const connections = await metric('chairside_api_connections');
  for (let asked = 0; asked < 5; asked++) {
    const call = request(`${api.url}${LIST}?fields=_id`, { agent: false, headers: { authorization: as } });
    asking.add(call);
    call.on('error', () => {});
    call.end();
  }
  await expect.poll(() => metric('chairside_api_reads_waiting')).toBe(5);
  for (const call of asking) call.destroy();
  await expect.poll(() => metric('chairside_api_connections')).toBeLessThanOrEqual(connections);
  const before = await api.database.collection('auditEntries').countDocuments();
  api.statements.length = 0;
  finish();
  await Promise.all(held);
  await expect.poll(() => metric('chairside_api_reads_waiting')).toBe(0);
  expect(api.statements.filter(({ find }) => find === 'appointments')).toEqual([]);
  expect(await api.database.collection('auditEntries').countDocuments()).toBe(before);
});
