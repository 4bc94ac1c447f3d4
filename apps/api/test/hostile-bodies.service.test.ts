import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi } from './api.ts';

/** Bodies that attackers and broken clients send. Invalid bodies must be refused and not stored. */
let api: TestApi;
let clinicId: string;
beforeAll(async () => {
  api = await openTestApi();
  [clinicId] = api.practice.clinicIds;
});
afterAll(() => api.close());

test.each([
  ['broken JSON', '{"clinicId":', 400],
  ['a NUL byte', '{"clinicId":"\u0000"}', 400],
  ['an escaped NUL', '{"clinicId":"a","name":"\\u0000"}', 400],
  ['a lone surrogate', '{"clinicId":"a","name":"\\ud800"}', 400],
  ['__proto__', '{"clinicId":"a","__proto__":{"x":1}}', 400],
  ['constructor.prototype', '{"clinicId":"a","constructor":{"prototype":{}}}', 400],
  ['an array', '[]', 400],
  ['null', 'null', 400],
  ['a number', '7', 400],
  ['nothing', '', 400],
  ['deep nesting', `{"clinicId":"a","name":${'['.repeat(40_000)}${']'.repeat(40_000)}}`, 400],
  ['a duplicate key', '{"clinicId":"a","clinicId":["b"]}', 400],
])('%s', async (_name, body, status) => {
  const before = await api.database.collection('patients').countDocuments();
  const response = await api.call('POST', '/api/patients', { body });
  expect(response.status).toBe(status);
  expect(response.json.name).toMatch(/^(BadRequest|ValidationError)$/);
  expect(await api.database.collection('patients').countDocuments()).toBe(before);
});

test('refuses a reminder that is nested too deeply, has too many values or a number beyond 2^53', async () => {
  const deep = `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`;
  const full = `{"a":[${'{},'.repeat(199)}{}]}`;
  for (const reminder of [deep, full, '{"n":9007199254740993}', '{"n":1e400}']) {
    const body = `{"clinicId":${JSON.stringify(clinicId)},"reminders":[${reminder}]}`;
    expect((await api.call('POST', '/api/appointments', { body })).status).toBe(400);
  }
});

test.each(['utf-8', 'UTF-8', '"utf-8"', 'utf8'])('accepts the charset %s', async (charset) => {
  const { status } = await api.call('POST', '/api/patients', {
    body: JSON.stringify({ clinicId, name: 'Müller' }),
    headers: { 'content-type': `application/json; charset=${charset}` },
  });
  expect(status).toBe(200);
});

test.each([
  ['in ISO 8859-1', Buffer.from(`{"clinicId":"a","name":"M\xfcller"}`, 'latin1')],
  ['that ends within a character', Buffer.from('{"name":"🦷').subarray(0, -1)],
  ['with an overlong form', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
  ['with a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
])('refuses a body %s and stores nothing', async (_name, body) => {
  const before = await api.database.collection('patients').countDocuments();
  const { status, json } = await api.call('POST', '/api/patients', { body });
  expect({ status, ...json }).toMatchObject({
    status: 400,
    name: 'BadRequest',
    message: 'The body is not valid UTF-8. Encode it as UTF-8.',
  });
  expect(await api.database.collection('patients').countDocuments()).toBe(before);
});

test.each(['iso-8859-1', 'UTF-16', 'us-ascii', '""'])('refuses the charset %s with 415', async (charset) => {
  const { status, json } = await api.call('POST', '/api/patients', {
    body: JSON.stringify({ clinicId, name: 'Ada' }),
    headers: { 'content-type': `application/json; charset=${charset}` },
  });
  expect({ status, ...json }).toMatchObject({ status: 415, name: 'UnsupportedMediaType' });
});

test('refuses a query that is not percent-encoded UTF-8', async () => {
  for (const query of ['email=M%FCller', 'email=%', '%ff=1']) {
    const { status, json } = await api.call('GET', `/api/patients?${query}`);
    expect({ status, ...json }).toMatchObject({ status: 400, name: 'BadRequest' });
    expect(json.message).toBe('The query string is not valid. Percent-encode it as UTF-8.');
  }
});
