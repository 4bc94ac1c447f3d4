import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from '../../test/api.ts';

let api: TestApi;
let patientIds: string[];
let requestIds: string[];
beforeAll(async () => {
  api = await openTestApi();
  const [clinicId] = api.practice.clinicIds;
  const created = [1, 2, 3].map(() => api.call('POST', '/api/patients', { body: { clinicId } }));
  patientIds = (await Promise.all(created)).map(({ json }) => json._id);
  requestIds = [];
  for (const id of patientIds) {
    const read = await api.call('GET', `/api/patients/${id}`);
    requestIds.push(read.headers.get('x-request-id') ?? '');
  }
  await api.call('GET', '/api/patients', { as: token(api.practice.staff.token) });
});
afterAll(() => api.close());

const get = (query = '', as = token(api.practice.administrator.token)) =>
  api.call('GET', `/api/auditentries${query}`, { as });

describe('GET /api/auditentries', () => {
  test('returns principals, actions and records, the newest entry first', async () => {
    const { status, json } = await get('?kind=patient');
    expect(status).toBe(200);
    expect(json.map(({ action }: { action: string }) => action)).toEqual(['listed', 'read', 'read', 'read']);
    expect(json[0]).toEqual({
      _id: expect.any(String),
      time: expect.stringMatching(/Z$/),
      action: 'listed',
      principal: { kind: 'operator', id: api.practice.staff._id },
      kind: 'patient',
      ids: [...patientIds].sort(),
      part: 1,
      result: 'ok',
      requestId: expect.any(String),
    });
  });

  test('filters by record, principal, kind, action, request and time', async () => {
    const by = async (query: string) =>
      (await get(`?${query}`)).json.map(({ requestId }: { requestId: string }) => requestId);
    expect(await by(`recordId=${patientIds[1]}&action=read`)).toEqual([requestIds[1]]);
    expect(await by(`recordId=${patientIds[1]}`)).toHaveLength(2);
    expect(await by(`principalId=${api.practice.staff._id}`)).toHaveLength(1);
    expect(await by(`requestId=${requestIds[2]}`)).toEqual([requestIds[2]]);
    expect(await by('kind=appointment')).toEqual([]);
    expect(await by('kind=patient&action=read')).toEqual([...requestIds].reverse());
    expect(await by('kind=appointment,patient&action=read,listed')).toHaveLength(4);
    expect(await by('kind=appointment,operator')).toEqual([]);
    expect(await by('until=2020-01-01T00:00:00Z')).toEqual([]);
    expect(await by('kind=patient&since=2020-01-01T00:00:00Z')).toHaveLength(4);
  });

  test('returns all entries page by page', async () => {
    const seen: string[] = [];
    let query = '?kind=patient&limit=3';
    for (;;) {
      const { json, headers } = await get(query);
      seen.push(...json.map(({ _id }: { _id: string }) => _id));
      const next = headers.get('x-next-cursor');
      if (next === null) break;
      query = `?kind=patient&limit=3&cursor=${next}`;
    }
    expect(seen).toHaveLength(4);
    expect(new Set(seen).size).toBe(4);
  });

  test.each(['action=seen', 'action=read,seen', 'action=', 'kind=dentist', 'since=yesterday', 'user=1'])(
    'refuses ?%s',
    async (query) => {
      const { status, json } = await get(`?${query}`);
      expect(status).toBe(400);
      expect(json.details.issues[0].path).toBe(query.split('=')[0]);
    },
  );

  test('returns the entries of the own organization, to administrators only', async () => {
    expect((await get('', token(api.practice.staff.token))).status).toBe(403);
    // The only entry is that of this request.
    expect((await get('', token(api.stranger.administrator.token))).json).toEqual([
      expect.objectContaining({ kind: 'auditEntry', action: 'listed' }),
    ]);
  });
});
