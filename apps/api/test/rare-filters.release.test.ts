import { MAX_EXAMINED } from '@chairside/mongodb';
import { sealedDocument, sealedEvent } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from './api.ts';

/*
 * Every list with every filter, over many rows of one organization of which none matches: a page never examines more than
 * a bounded number of rows, and its cursor leads to the end. The lists and filters are those of the OpenAPI document.
 */

const ROWS = Number(process.env.RARE_FILTER_ROWS ?? 300_000);
const GROUP = 2000;
const AT_ONCE = 4;
const DAY = 86_400_000;

let api: TestApi;
let clinicId: string;
let subscriptionId: string;
const now = Date.now();

const plant = async (name: string, rowOf: (index: number, _id: string) => object) => {
  const collection = api.database.collection(name);
  let next = 0;
  const work = async () => {
    while (next < ROWS) {
      const begin = next;
      next += GROUP;
      const { organizationId } = api.practice;
      await collection.insertMany(
        Array.from({ length: Math.min(GROUP, ROWS - begin) }, (_, index) => {
          const _id = `row-${String(begin + index).padStart(8, '0')}`;
          return { _id, organizationId, ...rowOf(begin + index, _id) };
        }) as never[],
        { ordered: false },
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
};

beforeAll(async () => {
  api = await openTestApi();
  [clinicId] = api.practice.clinicIds;
  const subscription = await api.practice.store.subscriptions.create(
    { clinicId, url: 'https://example.com', events: [], active: true },
    new Date(),
  );
  subscriptionId = subscription?._id ?? '';
  const record = (index: number) => ({
    clinicId,
    patientId: 'patient',
    providerId: 'provider',
    revision: 1,
    lastEditTime: new Date(now - index * 1000),
    creationTime: new Date(now - index * 1000),
    // All begin within the longest duration of an appointment before `from`, and none is long enough to overlap it.
    startTime: new Date(now - (index % 1_000_000) * 1000),
    endTime: new Date(now - (index % 1_000_000) * 1000 + 500),
  });
  const cipher = await api.store.ciphers.of(api.practice.organizationId);
  for (const name of ['patients', 'appointments', 'treatments'] as const)
    await plant(name, (index, _id) => sealedDocument(name, { _id, ...record(index) }, cipher));
  for (const name of ['invoices', 'payments']) await plant(name, record);
  await plant('events', (index, _id) => ({
    ...sealedEvent({ _id, body: '{}' }, cipher),
    event: 'patient.created',
    about: ['record'],
    clinicIds: [clinicId],
    insertedAt: new Date(now - (index + 60) * 1000),
    retainUntil: new Date(now + DAY),
  }));
  await plant('auditEntries', (index) => ({
    time: new Date(now - index * 1000),
    action: 'read',
    principal: { kind: 'apiKey', id: 'key' },
    kind: index % 10 === 0 ? 'webhookDelivery' : 'patient',
    ids: ['record'],
    result: 'ok',
    requestId: `request-${index}`,
    expireAt: new Date(now + DAY),
  }));
  await plant('deliveries', (index) => ({
    subscriptionId,
    clinicId,
    eventId: `event-${index}`,
    event: 'patient.created',
    requestId: `request-${index}`,
    kind: 'event',
    status: 'succeeded',
    statusCode: 200,
    createdTime: new Date(now - index * 1000),
    expireAt: new Date(now + DAY),
  }));
});
afterAll(() => api.close());

/** For each filter, a value that matches all rows, and one that matches none. */
const VALUES: Readonly<Record<string, { all?: () => string; none?: string }>> = {
  clinicId: { all: () => clinicId, none: 'none' },
  patientId: { all: () => 'patient', none: 'none' },
  providerId: { all: () => 'provider', none: 'none' },
  externalId: { none: 'none' },
  email: { none: 'none@example.com' },
  name: { none: 'Nobody' },
  phone: { none: '0791234567' },
  _ids: { none: 'none' },
  updatedSince: { all: () => '2000-01-01T00:00:00Z', none: '2099-01-01T00:00:00Z' },
  startTime: { all: () => '2000-01-01T00:00:00Z', none: new Date(now + 1000).toISOString() },
  endTime: { all: () => '2099-01-01T00:00:00Z', none: '2000-01-01T00:00:00Z' },
  since: { all: () => '2000-01-01T00:00:00Z', none: '2099-01-01T00:00:00Z' },
  // The log refuses a time that is far ahead.
  '/api/events since': { all: () => '2000-01-01T00:00:00Z', none: new Date(now + 1000).toISOString() },
  until: { all: () => '2099-01-01T00:00:00Z', none: '2000-01-01T00:00:00Z' },
  event: { all: () => 'patient.created', none: 'payment.refunded' },
  recordId: { all: () => 'record', none: 'none' },
  principalId: { all: () => 'key', none: 'none' },
  kind: { all: () => 'patient,webhookDelivery', none: 'connection' },
  action: { all: () => 'read', none: 'granted' },
  requestId: { none: 'none' },
  eventId: { none: 'none' },
  outcome: { all: () => 'succeeded', none: 'failed' },
  cause: { none: 'timeout' },
  statusClass: { all: () => '2xx', none: '5xx' },
  unrepaired: { none: 'true' },
  webhookSubscriptionId: { all: () => subscriptionId, none: 'none' },
  order: { all: () => 'desc' },
  '/api/appointments status': { none: 'CANCELED' },
  '/api/invoices status': { none: 'VOID' },
};
/** The values of a filter; those of a status depend on the list. */
const valuesOf = (path: string, name: string) => VALUES[`${path} ${name}`] ?? VALUES[name];
/** Parameters that select no rows. */
const NO_FILTERS = ['limit', 'cursor', 'fields'];
/** Lists whose number of rows is limited in other ways. */
const SHORT = [
  '/api/clinics',
  '/api/providers',
  '/api/procedures',
  '/api/calendarblocks',
  '/api/apikeys',
  '/api/operators',
  '/api/webhooksubscriptions',
  '/api/webhookstatistics',
  '/api/sessions',
  '/api/connections',
  '/api/notices',
  '/api/webhooksubscriptions/{webhookSubscriptionId}/redeliveries',
];

type Parameter = { name: string; in: string };
const lists = (): [path: string, filters: string[]][] =>
  Object.entries<any>(JSON.parse(api.app.openApi).paths).flatMap(([path, { get }]) => {
    const schema = get?.responses['200']?.content?.['application/json']?.schema;
    if (schema?.type !== 'array' || SHORT.includes(path)) return [];
    const names = ((get.parameters ?? []) as Parameter[])
      .filter((each) => each.in === 'query')
      .map(({ name }) => name);
    return [[path, names.filter((name) => !NO_FILTERS.includes(name))]];
  });

const urlOf = (path: string, query: Record<string, string>): string =>
  `${path.replace('{webhookSubscriptionId}', subscriptionId)}?${new URLSearchParams({ limit: '10', ...query })}`;

/** Reads at most `maxPages` pages of a list. Returns the number of rows and of pages, and whether the list has ended. */
const readPages = async (url: string, maxPages: number) => {
  let [rows, pages] = [0, 0];
  let cursor: string | null = '';
  for (; cursor !== null && pages < maxPages; pages++) {
    const { status, json, headers } = await api.call('GET', cursor === '' ? url : `${url}&cursor=${cursor}`, {
      as: token(api.practice.administrator.token),
    });
    if (status !== 200) throw new Error(`${url}: ${status} ${JSON.stringify(json)}`);
    rows += json.length;
    cursor = headers.get('x-next-cursor');
  }
  return { rows, pages, hasEnded: cursor === null };
};

test('every filter of every list has a value here', () => {
  const found = lists().flatMap(([path, names]) => names.map((name) => ({ path, name })));
  expect(found.filter(({ path, name }) => valuesOf(path, name) === undefined)).toEqual([]);
  expect(lists().length).toBeGreaterThan(7);
});

/** Enough to read a list in which each page examines `MAX_EXAMINED` rows. */
const ALL_PAGES = ROWS / MAX_EXAMINED + 2;

test('each filter ends with no row after a bounded number of pages, and so do its first pages with each other filter', async () => {
  let most = 0;
  for (const [path, names] of lists()) {
    for (const name of names) {
      const { none } = valuesOf(path, name) ?? {};
      if (none === undefined) continue;
      const url = urlOf(path, { [name]: none });
      const { rows, pages, hasEnded } = await readPages(url, ALL_PAGES);
      expect({ url, rows, hasEnded }).toEqual({ url, rows: 0, hasEnded: true });
      most = Math.max(most, pages);
      for (const other of names) {
        const all = valuesOf(path, other)?.all;
        if (other === name || all === undefined) continue;
        const both = urlOf(path, { [name]: none, [other]: all() });
        expect({ both, rows: (await readPages(both, 2)).rows }).toEqual({ both, rows: 0 });
      }
    }
  }
  // Some filters are examined row by row, so this test reads more than one page.
  expect(most).toBeGreaterThanOrEqual(ROWS / MAX_EXAMINED);
});
