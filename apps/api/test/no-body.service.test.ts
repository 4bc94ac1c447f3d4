import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from './api.ts';

let api: TestApi;
let path: string;
beforeAll(async () => {
  api = await openTestApi();
  const [clinicId] = api.practice.clinicIds;
  const { json } = await api.call('POST', '/api/webhooksubscriptions', {
    as: token(api.practice.administrator.token),
    body: { clinicId, url: 'https://example.com/webhooks' },
  });
  path = `/api/webhooksubscriptions/${json._id}/test`;
});
afterAll(() => api.close());

/** Sends these headers and this body exactly, and returns the status. */
const send = async (method: string, headers: readonly string[], body = ''): Promise<number> => {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  const authorization = `Authorization: ${token(api.practice.administrator.token)}`;
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    authorization,
    ...headers,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return Number((await text(socket)).slice(9, 12));
};

const FORM = 'Content-Type: application/x-www-form-urlencoded';
const JSON_TYPE = 'Content-Type: application/json';

describe('a POST that reads no body', () => {
  test.each([
    ['without a body and a content type', [], ''],
    ['with the length 0', ['Content-Length: 0'], ''],
    ['with a JSON content type and no length', [JSON_TYPE], ''],
    ['with a JSON content type', [JSON_TYPE, 'Content-Length: 0'], ''],
    ["as curl -d '' sends it", [FORM, 'Content-Length: 0'], ''],
    ['with another charset of a form', [`${FORM}; charset=utf-8`, 'Content-Length: 0'], ''],
    ['as text', ['Content-Type: text/plain;charset=UTF-8', 'Content-Length: 0'], ''],
    ['with an empty chunked body', [JSON_TYPE, 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
    ['with an empty chunked form', [FORM, 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
    ['with an empty JSON object', [JSON_TYPE, 'Content-Length: 2'], '{}'],
  ])('passes %s', async (_name, headers, body) => {
    expect(await send('POST', headers, body)).toBe(200);
  });

  test.each([
    ['a form that is not empty', [FORM, 'Content-Length: 3'], 'a=b', 415],
    ['text that is not empty', ['Content-Type: text/plain', 'Content-Length: 2'], '{}', 415],
    ['a body that is not JSON', [JSON_TYPE, 'Content-Length: 1'], '{', 400],
  ])('refuses %s', async (_name, headers, body, status) => {
    expect(await send('POST', headers, body)).toBe(status);
  });
});

test('a POST that reads a body needs one', async () => {
  expect((await api.call('POST', '/api/patients', { body: '' })).status).toBe(400);
  expect(
    (await api.call('POST', '/api/patients', { body: '', headers: { 'content-type': 'text/plain' } })).status,
  ).toBe(415);
});

test.each([
  ['/api/patients/', '/api/patients'],
  ['/api/patients//', '/api/patients'],
  ['//api/patients', '/api/patients'],
  ['/api/Patients', '/api/patients'],
  ['/api/patients/?limit=1', '/api/patients'],
  ['/api/patients/one/', '/api/patients/{patientId}'],
  ['/API/webhooksubscriptions/one/test/', '/api/webhooksubscriptions/{webhookSubscriptionId}/test'],
])('the 404 of %s names %s', async (sent, meant) => {
  for (const method of ['GET', 'POST', 'DELETE']) {
    const response = await fetch(api.url + sent, { method });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      name: 'NotFound',
      message: `This path does not exist. Use ${meant}, with these slashes and letters.`,
    });
  }
});

test.each(['/api/patient', '/patients', '/api/patients/one/two/', '/'])(
  'the 404 of %s names no other path',
  async (sent) => {
    expect(await (await fetch(`${api.url}${sent}x`)).json()).toMatchObject({
      message: 'This path does not exist. The reference at /docs lists all paths.',
    });
  },
);

test('the 405 of a PATCH says that PUT changes only the fields it has, where it does', async () => {
  const message = async (method: string, of: string) => (await api.call(method, of)).json.message;
  const hint = 'PUT changes only the fields that its body has.';
  for (const path of [
    'patients',
    'appointments',
    'webhooksubscriptions',
    'apikeys',
    'operators',
    'procedures',
  ])
    expect(await message('PATCH', `/api/${path}/one`)).toContain(hint);
  for (const path of ['/api/clinics/one', '/api/patients', '/api/clinics/one/openinghours'])
    expect(await message('PATCH', path)).not.toContain(hint);
  expect(await message('POST', '/api/patients/one')).not.toContain(hint);
});
