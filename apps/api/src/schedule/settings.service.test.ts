import { newId } from '@chairside/domain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from '../../test/api.ts';
import { createSettings, OPEN_MONDAYS } from '../../test/read-only-records.ts';

let api: TestApi;
let clinicId: string;
let other: string;
let ids: Awaited<ReturnType<typeof createSettings>>;
beforeAll(async () => {
  api = await openTestApi();
  [clinicId, other] = api.practice.clinicIds;
  ids = await createSettings(api.database, api.practice);
});
afterAll(() => api.close());

const get = async (path: string, headers = {}) => api.call('GET', path, { headers });
const listed = async (path: string) => {
  const { status, json } = await get(path);
  expect(status).toBe(200);
  return json;
};
const idsIn = async (path: string): Promise<string[]> =>
  (await listed(path)).map(({ _id }: { _id: string }) => _id);
const plant = async (collection: string, fields: object): Promise<string> => {
  const _id = newId();
  const { organizationId } = api.practice;
  await api.database
    .collection<{ _id: string; organizationId: string }>(collection)
    .insertOne({ _id, organizationId, ...fields });
  return _id;
};

test.each([
  ['/api/providers', 'providerId', { name: 'Dr. Ines Albers', clinicIds: [expect.any(String)] }],
  [
    '/api/procedures',
    'procedureId',
    { name: 'Check-up', price: '80.00', currency: 'EUR', durationMinutes: 30, bookable: true },
  ],
  [
    '/api/calendarblocks',
    'calendarBlockId',
    {
      clinicId: expect.any(String),
      providerId: expect.any(String),
      startTime: '2030-12-24T00:00:00.000Z',
      endTime: '2030-12-27T00:00:00.000Z',
      kind: 'HOLIDAY',
    },
  ],
] as const)('%s returns what was imported, to keys and to staff', async (path, parameter, fields) => {
  const expected = { _id: ids[parameter], ...fields };
  for (const as of [undefined, token(api.practice.staff.token)]) {
    const list = await api.call('GET', path, as === undefined ? {} : { as });
    expect(list.json).toEqual([expected]);
    const one = await api.call('GET', `${path}/${ids[parameter]}`, as === undefined ? {} : { as });
    expect(one.json).toEqual(expected);
  }
  const { headers } = await get(`${path}/${ids[parameter]}`);
  const known = await get(`${path}/${ids[parameter]}`, { 'if-none-match': headers.get('etag') });
  expect([known.status, known.text]).toEqual([304, '']);
  expect(await listed(`${path}?fields=_id`)).toEqual([{ _id: ids[parameter] }]);
});

describe('GET /api/providers', () => {
  test('pages in the order of the name and then of the id, and filters by clinic', async () => {
    const zoe = await plant('providers', { name: 'Dr. Zoe', clinicIds: [other] });
    const twins = [
      await plant('providers', { name: 'Dr. Bo', clinicIds: [clinicId, other] }),
      await plant('providers', { name: 'Dr. Bo', clinicIds: [clinicId] }),
    ].toSorted();
    const inOrder = [...twins, ids.providerId, zoe];
    expect(await idsIn('/api/providers')).toEqual(inOrder);

    const paged: string[] = [];
    for (let path: string | null = '/api/providers?limit=1'; path !== null; ) {
      const { json, headers } = await get(path);
      paged.push(...json.map(({ _id }: { _id: string }) => _id));
      const cursor = headers.get('x-next-cursor');
      path = cursor && `/api/providers?limit=1&cursor=${cursor}`;
    }
    expect(paged).toEqual(inOrder);
    expect(await idsIn(`/api/providers?clinicId=${clinicId}`)).toEqual([...twins, ids.providerId]);
    expect(await idsIn('/api/providers?clinicId=none')).toEqual([]);
  });
});

describe('GET /api/procedures', () => {
  test('a procedure that names no clinics belongs to each of them', async () => {
    const crown = await plant('procedures', {
      ...{ name: 'Crown', durationMinutes: 90, bookable: false },
      clinicIds: [other],
    });
    expect(await idsIn(`/api/procedures?clinicId=${clinicId}`)).toEqual([ids.procedureId]);
    expect(await idsIn(`/api/procedures?clinicId=${other}&limit=10`)).toEqual([ids.procedureId, crown]);
  });
});

describe('GET /api/calendarblocks', () => {
  test('pages in the order of the start, and filters by clinic, provider and period', async () => {
    const block = (day: number, fields: object) =>
      plant('calendarBlocks', {
        startTime: new Date(Date.UTC(2030, 11, day)),
        endTime: new Date(Date.UTC(2030, 11, day + 1)),
        kind: 'CLOSED',
        title: 'CANARY',
        ...fields,
      });
    const late = await block(30, { clinicId: other });
    const early = await block(1, { clinicId });
    expect(await idsIn('/api/calendarblocks?limit=2')).toEqual([early, ids.calendarBlockId]);
    const first = await get('/api/calendarblocks?limit=2');
    const cursor = first.headers.get('x-next-cursor');
    expect(await idsIn(`/api/calendarblocks?limit=2&cursor=${cursor}`)).toEqual([late]);
    expect(await idsIn(`/api/calendarblocks?clinicId=${clinicId}`)).toEqual([early, ids.calendarBlockId]);
    expect(await idsIn(`/api/calendarblocks?providerId=${ids.providerId}`)).toEqual([ids.calendarBlockId]);
    const period = (from: string, to: string) =>
      idsIn(`/api/calendarblocks?startTime=2030-12-${from}T00:00:00Z&endTime=2030-12-${to}T00:00:00Z`);
    expect(await period('26', '27')).toEqual([ids.calendarBlockId]);
    // A block that ends when the period begins is not in it, and neither is one that begins when the period ends.
    expect(await period('27', '30')).toEqual([]);
    expect(await idsIn('/api/calendarblocks?endTime=2030-12-02T00:00:00Z')).toEqual([early]);
    expect((await get('/api/calendarblocks')).text).not.toContain('CANARY');
  });
});

describe('GET /api/clinics/{clinicId}/openinghours', () => {
  test('returns all weekdays, with an ETag that changes when chairside-admin sets the hours', async () => {
    const path = `/api/clinics/${clinicId}/openinghours`;
    const { json, headers } = await get(path);
    expect(json).toEqual(OPEN_MONDAYS);
    const etag = headers.get('etag');
    expect((await get(path, { 'if-none-match': etag })).status).toBe(304);
    await api.practice.store.openingHours.set(clinicId, { ...OPEN_MONDAYS, chairs: 2 });
    const changed = await get(path, { 'if-none-match': etag });
    expect([changed.status, changed.json.chairs]).toEqual([200, 2]);
  });

  test('returns 404 that says so if the hours were never set', async () => {
    const { status, json } = await get(`/api/clinics/${other}/openinghours`);
    expect([status, json.message]).toEqual([404, expect.stringMatching(/never set/)]);
  });
});
