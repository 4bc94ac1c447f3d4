import { conflictCodes, issueCodes } from '@chairside/domain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from './api.ts';

let api: TestApi;
let as: string;
let clinicId: string;
let patientId: string;
let subscriptionId: string;
beforeAll(async () => {
  api = await openTestApi();
  as = token(api.practice.administrator.token);
  [clinicId] = api.practice.clinicIds;
  patientId = (await api.call('POST', '/api/patients', { body: { clinicId } })).json._id;
  const body = { clinicId, url: 'https://example.com/webhooks' };
  subscriptionId = (await api.call('POST', '/api/webhooksubscriptions', { as, body })).json._id;
});
afterAll(() => api.close());

const issuesOf = async (method: string, path: string, body?: object) => {
  const { status, json } = await api.call(method, path, { as, ...(body && { body }) });
  expect(status).toBe(400);
  for (const { code } of json.details.issues) expect(issueCodes).toContain(code);
  return json.details.issues
    .map(({ path: at, code }: { path: string; code: string }) => `${at} ${code}`)
    .sort();
};

const times = { startTime: '2030-01-31T10:00:00+0100', endTime: '2030-01-31T08:00:00Z' };

describe('all issues of a request are reported at once', () => {
  test.each<[what: string, method: string, path: () => string, body: () => object, issues: string[]]>([
    [
      'a bad address and a bad clinic',
      'POST',
      () => '/api/patients',
      () => ({ clinicId: 'none', email: 'x' }),
      ['clinicId not_found', 'email invalid'],
    ],
    [
      'an unknown field, a bad clinic and another id in a change',
      'PUT',
      () => `/api/patients/${patientId}`,
      () => ({ _id: 'other', clinicId: 'none', nick: 1 }),
      ['_id read_only', 'clinicId not_found', 'nick unknown'],
    ],
    [
      'another id and a bad clinic, which only the handler and the path know',
      'PUT',
      () => `/api/patients/${patientId}`,
      () => ({ _id: 'other', clinicId: 'none' }),
      ['_id read_only', 'clinicId not_found'],
    ],
    [
      'a bad status, times, a bad clinic, patient and provider',
      'POST',
      () => '/api/appointments',
      () => ({ clinicId: 'none', patientId: 'none', providerId: 'none', status: 'X', ...times }),
      [
        'clinicId not_found',
        'endTime invalid',
        'patientId not_found',
        'providerId not_found',
        'status invalid',
      ],
    ],
    [
      'a bad URL and a wrong event',
      'POST',
      () => '/api/webhooksubscriptions',
      () => ({ clinicId: 'none', url: 'ftp://example.com/', events: ['patient.made'] }),
      ['clinicId not_found', 'events.0 invalid', 'url invalid'],
    ],
    [
      'a bad URL and a wrong type in a change',
      'PUT',
      () => `/api/webhooksubscriptions/${subscriptionId}`,
      () => ({ url: 'https:///host', active: 'yes' }),
      ['active wrong_type', 'url invalid'],
    ],
    [
      'a missing field and a bad clinic',
      'POST',
      () => '/api/calendarblocks',
      () => ({ clinicId: 'none' }),
      ['clinicId not_found', 'endTime required', 'kind required', 'startTime required'],
    ],
    ['no fields', 'POST', () => '/api/patients', () => ({}), ['clinicId required']],
    ['a body that is an array', 'POST', () => '/api/patients', () => [], [' wrong_type']],
    [
      'texts that are too long and too short',
      'POST',
      () => '/api/patients',
      () => ({ clinicId: '', name: 'x'.repeat(501) }),
      ['clinicId too_small', 'name too_large'],
    ],
  ])('%s', async (_what, method, path, body, issues) => {
    expect(await issuesOf(method, path(), body())).toEqual(issues);
  });

  test.each([
    ['/api/availability?clinicId=c&from=2030-02-01&to=2030-01-31', ['durationMinutes invalid', 'to invalid']],
    [
      '/api/availability?from=2030-02-01&to=2030-01-31&durationMinutes=x&unit=m',
      ['clinicId required', 'durationMinutes invalid', 'to invalid', 'unit unknown'],
    ],
    ['/api/availability?clinicId=c&from=2030-01-01&to=2030-12-31&durationMinutes=30', ['to invalid']],
    ['/api/availability?clinicId=c&from=x&to=y&durationMinutes=30', ['from invalid', 'to invalid']],
    [
      '/api/patients?limit=0&email=a+b&clinicId=a&clinicId=b',
      ['clinicId repeated', 'email invalid', 'limit invalid'],
    ],
  ])('GET %s', async (path, issues) => {
    expect(await issuesOf('GET', path)).toEqual(issues);
  });
});

test('references of another organization are reported like missing ones', async () => {
  const [foreign] = api.stranger.clinicIds;
  const refused = async (id: unknown) =>
    (await api.call('POST', '/api/patients', { body: { clinicId: id, email: 'x' } })).json.details.issues;
  expect(await refused(foreign)).toEqual(await refused('none'));
});

test('a filter of a search is no reference', async () => {
  const { status, json } = await api.call('POST', '/api/patients/search', {
    body: { clinicId: 'none', limit: 0 },
  });
  expect(status).toBe(400);
  expect(json.details.issues.map(({ path }: { path: string }) => path)).toEqual(['limit']);
});

test('a conflict has a code', async () => {
  const headers = { 'idempotency-key': 'codes' };
  await api.call('POST', '/api/patients', { body: { clinicId, name: 'a' }, headers });
  const reused = await api.call('POST', '/api/patients', { body: { clinicId, name: 'b' }, headers });
  expect([reused.status, reused.json.details.code]).toEqual([409, 'idempotency_key_reused']);
  const replace = () =>
    api.call('POST', '/api/webhooksubscriptions', { as, body: { replaces: subscriptionId } });
  await replace();
  const again = await replace();
  expect([again.status, again.json.details.code]).toEqual([409, 'replacement_exists']);
  const own = `/api/operators/${api.practice.administrator._id}`;
  const last = await api.call('PUT', own, { as, body: { role: 'staff' } });
  expect([last.status, last.json.details.code]).toEqual([409, 'last_administrator']);
  expect(new Set(conflictCodes).size).toBe(conflictCodes.length);
});
