import { sealedDocument } from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiResponse, token } from './api.ts';
import { type ContractPractice, endpoints, openContractPractice } from './contract-practice.ts';

/* The chapters "Errors" and "Limits" of the service description. The limits of webhooks are in apps/demo/test/contract-events.release.test.ts. */
let api: ContractPractice;
beforeAll(async () => {
  api = await openContractPractice();
});
afterAll(() => api.close());

/** The error body, with the fields and types of the table. */
const expectErrorBody = ({ json, status, headers }: ApiResponse): void => {
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(Object.keys(json).filter((key) => !/^(message|name|statusCode|details)$/.test(key))).toEqual([]);
  expect(json.message).toEqual(expect.any(String));
  expect(json.message).not.toBe('');
  expect(json.name).toEqual(expect.toBeOneOf([undefined, expect.any(String)]));
  expect(json.statusCode).toEqual(expect.toBeOneOf([undefined, status]));
  expect(json.details ?? {}).toEqual(expect.any(Object));
  expect(Array.isArray(json.details)).toBe(false);
};
const refused = async (
  status: number,
  ...call: Parameters<ContractPractice['call']>
): Promise<ApiResponse> => {
  const response = await api.call(...call);
  expect({ call, status: response.status }).toEqual({ call, status });
  expectErrorBody(response);
  return response;
};
const sample = (method: string) => (method === 'POST' || method === 'PUT' ? { body: {} } : {});

describe('Error body', () => {
  let json: any;
  beforeAll(async () => {
    ({ json } = await api.call('GET', '/api/patients/none'));
  });

  test.each([
    ['message | string | yes', 'message', expect.any(String)],
    ['name | string | no', 'name', expect.any(String)],
    ['statusCode | integer | no', 'statusCode', 404],
    ['details | object with free-form members | no', 'details', expect.any(Object)],
  ])('| %s |', (_row, field, value) => {
    expect(json[field]).toEqual(value);
  });
});

describe('Status codes', () => {
  test.each([
    ['appointment list', '/api/appointments'],
    ['patient list', '/api/patients'],
  ])('| 401 | credentials missing or invalid | %s |', async (_where, path) => {
    for (const as of ['', 'Basic bm9uZQ==', 'Token none', 'Bearer none']) {
      const { headers } = await refused(401, 'GET', path, { as });
      expect(headers.get('www-authenticate')).not.toBeNull();
    }
  });

  test.each(endpoints)(
    '| 403 | the key lacks the scope the endpoint requires | %s %s |',
    async (method, path) => {
      const as = await api.keyWith([]);
      await refused(403, method, path.replace(/\{.*/, 'any'), { as, ...sample(method) });
    },
  );

  test.each(
    endpoints.filter(([, path]) => path.includes('{')).map(([method, path]) => [method, path] as const),
  )(
    '| 404 | the record does not exist or belongs to another organization | %s %s |',
    async (method, path) => {
      const id = path.includes('patientId') ? api.patientId : api.appointmentId;
      const stranger = token(api.stranger.administrator.token);
      await refused(404, method, path.replace(/\{.*/, 'none'), sample(method));
      await refused(404, method, path.replace(/\{.*/, id), { as: stranger, ...sample(method) });
    },
  );

  test.each([
    ['appointment list', '/api/appointments', 'appointments:read'],
    ['patient list', '/api/patients', 'patients:read'],
  ] as const)('| 429 | the per-key rate limit is exceeded | %s |', async (_where, path, scope) => {
    const as = await api.keyWith([scope], 1);
    expect((await api.call('GET', path, { as })).status).toBe(200);
    await refused(429, 'GET', path, { as });
  });

  test.each<[string, number, () => Parameters<ContractPractice['call']>]>([
    ['an unknown path', 404, () => ['GET', '/nowhere']],
    ['an unknown path, another method', 404, () => ['DELETE', '/api/nowhere']],
    ['an unknown method', 405, () => ['PATCH', '/api/patients']],
    ['a body that is not JSON', 400, () => ['POST', '/api/patients', { body: '{' }]],
    ['a missing clinicId on create', 400, () => ['POST', '/api/patients', { body: {} }]],
    ['no body', 400, () => ['PUT', `/api/patients/${api.patientId}`]],
    ['an unknown query parameter', 400, () => ['GET', '/api/patients?clinc=1']],
    ['a path that cannot be decoded', 400, () => ['GET', '/api/patients/%ff']],
    ['an id that is too long', 400, () => ['GET', `/api/patients/${'x'.repeat(2000)}`]],
    [
      'a body of another type',
      415,
      () => ['POST', '/api/patients', { body: 'text', headers: { 'content-type': 'text/plain' } }],
    ],
    [
      'a body that is too large',
      413,
      () => ['POST', '/api/patients', { body: { name: 'x'.repeat(300_000) } }],
    ],
    [
      'another version',
      412,
      () => ['PUT', `/api/patients/${api.patientId}`, { body: {}, headers: { 'if-match': '"99"' } }],
    ],
    [
      'a header that is not valid',
      400,
      () => ['PUT', `/api/patients/${api.patientId}`, { body: {}, headers: { 'if-match': 'x' } }],
    ],
    [
      'a wrong e-mail address or password',
      401,
      () => ['POST', '/api/sessions', { as: '', body: { email: 'a@example.com', password: 'b' } }],
    ],
  ])(
    '| other | any other failure is answered with this same body shape | %s |',
    async (_name, status, call) => {
      await refused(status, ...call());
    },
  );

  test('| other | … | a fault of the service itself |', async () => {
    // Stores a record that no write of the service creates, so that reading it fails.
    const broken = {
      _id: 'broken',
      organizationId: api.practice.organizationId,
      clinicId: api.clinicId,
    };
    const document = { ...broken, startTime: { not: 'a time' }, revision: 1 };
    const cipher = await api.store.ciphers.of(broken.organizationId);
    await api.database.collection('appointments').insertOne(sealedDocument('appointments', document, cipher));
    const { json } = await refused(500, 'GET', '/api/appointments/broken');
    expect(json).toEqual({
      message: expect.any(String),
      name: 'InternalServerError',
      statusCode: 500,
      details: { requestId: expect.any(String) },
    });
    await api.database.collection('appointments').deleteOne({ _id: broken._id });
  });
});

describe('Limits', () => {
  test('| Rate limit | per API key; exceeding it returns 429 | requests made with an API key |', async () => {
    const as = await api.keyWith(['patients:read', 'clinics:read'], 3);
    const paths = ['/api/patients', '/api/clinics', '/api/appointments', '/api/patients', '/api/clinics'];
    const statuses = [];
    for (const path of paths) statuses.push((await api.call('GET', path, { as })).status);
    expect(statuses).toEqual([200, 200, 403, 429, 429]);
    expect((await api.call('GET', '/api/clinics')).status).toBe(200);
  });
});
