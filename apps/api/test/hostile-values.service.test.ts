import { once } from 'node:events';
import { METHODS, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { MAX_EXTERNAL_ID_LENGTH, MAX_ID_LENGTH } from '@chairside/domain';
import { basic, createPractice, referencesIn } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiResponse, openTestApi, type TestApi, token } from './api.ts';
import { newAdministrator, refusedInAnyField } from './body-fields.ts';

/*
 * Requests of attackers and broken clients. The body fields and query parameters come from the app's own document, so
 * that none can be forgotten.
 */
let api: TestApi;
let document: any;
let resolve: ReturnType<typeof referencesIn>;
beforeAll(async () => {
  api = await openTestApi();
  document = JSON.parse(api.app.openApi);
  resolve = referencesIn(document);
});
afterAll(() => api.close());

test('refuses a database operator in any field of any body', async () => {
  const seen = await refusedInAnyField(api, '{"$gt":""}');
  expect(seen).toContain('post /api/appointments procedures.0.price');
  expect(seen.length).toBeGreaterThan(50);
});

test.each([
  ['a NUL', '%00'],
  ['an overlong text', 'x'.repeat(8000)],
  ['an object', '[$gt]=1'],
])('refuses %s in any parameter of any query', async (_name, value) => {
  const as = await newAdministrator(api);
  let seen = 0;
  for (const [template, { get }] of Object.entries<any>(document.paths)) {
    for (const parameter of (get?.parameters ?? []).map(resolve)) {
      if (parameter.in !== 'query') continue;
      const { name } = parameter;
      // A list of ids accepts unknown ids.
      if (name === '_ids' && value.startsWith('x')) continue;
      const query = value.startsWith('[') ? `${name}${value}` : `${name}=${value}`;
      const response = await api.call('GET', `${template.replace(/\{\w+\}/g, 'x')}?${query}`, { as });
      expect({ template, name, status: response.status }).toEqual({ template, name, status: 400 });
      expect(response.json.details.issues.some(({ path }: any) => path.startsWith(name))).toBe(true);
      seen++;
    }
  }
  expect(seen).toBeGreaterThan(40);
});

test('refuses any query parameter that occurs twice', async () => {
  // The tests above have used up most of the limit of the other administrator.
  const as = token((await createPractice(api.store)).administrator.token);
  for (const [template, { get }] of Object.entries<any>(document.paths)) {
    for (const parameter of (get?.parameters ?? []).map(resolve)) {
      if (parameter.in !== 'query') continue;
      const { name } = parameter;
      const path = `${template.replace(/\{\w+\}/g, 'x')}?${name}=1&${name}=1`;
      const { status, json } = await api.call('GET', path, { as });
      expect({ path, status }).toEqual({ path, status: 400 });
      expect(json.details.issues).toContainEqual(
        expect.objectContaining({ path: name, message: 'must occur only once' }),
      );
    }
  }
});

test('refuses a NUL and too many characters in any id of any path', async () => {
  // The tests above have used up the limit of the other administrator.
  const as = token(api.stranger.administrator.token);
  for (const { method, url } of api.app.routeList.filter((route) => route.url.includes(':'))) {
    const tooLong = 'x'.repeat((url.endsWith('/:externalId') ? MAX_EXTERNAL_ID_LENGTH : MAX_ID_LENGTH) + 1);
    for (const id of ['a%00b', tooLong, '%EF%BF%BD%00']) {
      const path = url.replace(/:\w+/g, id);
      const body = method === 'PUT' || method === 'POST' ? { body: {} } : {};
      const { status } = await api.call(method, path, { as, ...body });
      expect({ method, path, status }).toEqual({ method, path, status: 400 });
    }
  }
});

/** Sends a request without `fetch`, which refuses to send some of these requests. */
const responseTo = async (
  method: string,
  path: string,
  headers: Record<string, string>,
  body = '',
): Promise<ApiResponse> => {
  const asking = request(api.url + path, { method, headers });
  asking.end(body);
  const [response] = await once(asking, 'response');
  const received = await text(response);
  return {
    status: response.statusCode,
    headers: new Headers(response.headers),
    text: received,
    json: JSON.parse(received),
  };
};
const isErrorBody = ({ status, json, headers }: ApiResponse) =>
  expect(json).toEqual({
    message: expect.any(String),
    name: expect.any(String),
    statusCode: status,
    details: expect.objectContaining({ requestId: headers.get('x-request-id') }),
  });

test.each(METHODS.filter((method) => !['CONNECT', 'GET', 'HEAD', 'POST', 'OPTIONS'].includes(method)))(
  'returns 405 with Allow to the method %s on a known path, and 404 on others',
  async (method) => {
    const refused = await responseTo(method, '/api/patients', {});
    isErrorBody(refused);
    expect({ status: refused.status, allow: refused.headers.get('allow') }).toEqual({
      status: 405,
      allow: 'GET, HEAD, POST',
    });
    const nowhere = await responseTo(method, '/api/nothing', {});
    isErrorBody(nowhere);
    expect(nowhere.status).toBe(404);
  },
);

test.each([
  ['a compressed body', 415, 'POST', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
  [
    'a body with the coding identity',
    400,
    'POST',
    { 'content-type': 'application/json', 'content-encoding': 'Identity' },
  ],
  ['a GET with a content coding', 200, 'GET', { 'content-encoding': 'gzip' }],
  ['an upgrade', 415, 'POST', { connection: 'upgrade', upgrade: 'websocket' }],
  ['an unknown expectation', 200, 'GET', { expect: 'miracles' }],
  ['an OPTIONS that is not a preflight request', 400, 'OPTIONS', {}],
] as const)('responds to %s with %i', async (_name, status, method, headers) => {
  const credentials = { authorization: basic(api.practice.apiKey) };
  const response = await responseTo(
    method,
    '/api/patients',
    { ...credentials, ...headers },
    method === 'POST' ? '{}' : '',
  );
  expect(response.status).toBe(status);
  if (status >= 400) isErrorBody(response);
});
