import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi } from './api.ts';

/** Bodies that are meant to do harm, or that a broken client sends: refused clearly and never stored. */
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
  ['deep nesting', `{"clinicId":"a","name":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 400],
  ['a duplicate key', '{"clinicId":"a","clinicId":["b"]}', 400],
])('%s', async (_name, body, status) => {
  const before = await api.database.collection('patients').countDocuments();
  const answer = await api.call('POST', '/api/patients', { body });
  expect(answer.status).toBe(status);
  expect(answer.json.name).toMatch(/^(BadRequest|ValidationError)$/);
  expect(await api.database.collection('patients').countDocuments()).toBe(before);
});

test('a reminder that is nested too deep, or has a number past 2^53', async () => {
  const deep = `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`;
  for (const reminder of [deep, '{"n":9007199254740993}', '{"n":1e400}']) {
    const body = `{"clinicId":${JSON.stringify(clinicId)},"reminders":[${reminder}]}`;
    expect((await api.call('POST', '/api/appointments', { body })).status).toBe(400);
  }
});
