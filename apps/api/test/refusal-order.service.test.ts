import { newId } from '@chairside/domain';
import { basic, createKey } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi } from './api.ts';

let api: TestApi;
let exhausted: string;
let unscoped: string;
beforeAll(async () => {
  api = await openTestApi();
  const keyWith = async (rateLimit: number) => {
    const key = { name: 'x', scopes: ['clinics:read' as const], rateLimit };
    return basic((await createKey(api.practice.store, key, new Date())).secret);
  };
  [exhausted, unscoped] = [await keyWith(1), await keyWith(1000)];
  // The next call exceeds the limit, whether Redis or the process counts.
  await api.call('GET', '/api/clinics', { as: exhausted });
});
afterAll(() => api.close());

const missing = `/api/patients/${newId()}`;
const TEXT = { 'content-type': 'text/plain' };
const STALE = { 'if-match': '"9"' };
const JSON_TYPE = { 'content-type': 'application/json' };
const LARGE = JSON.stringify({ name: 'x'.repeat(300_000) });

/** Most requests also have faults of rows below their own. The response must report the fault of their own row. */
test.each([
  ['an unknown path', 404, 'POST', '/api/nothing', { headers: TEXT, body: 'x' }],
  ['an unknown method', 405, 'PATCH', missing, { headers: TEXT, body: 'x' }],
  ['no credentials', 401, 'PUT', missing, { headers: TEXT, body: 'x' }],
  ['too many requests', 429, 'PUT', missing, { as: () => exhausted, headers: TEXT, body: 'x' }],
  ['a missing scope', 403, 'PUT', missing, { as: () => unscoped, headers: TEXT, body: 'x' }],
  [
    'a body of another type',
    415,
    'PUT',
    missing,
    { as: allowed, headers: { ...TEXT, ...STALE }, body: LARGE },
  ],
  [
    'a body that is too large',
    413,
    'PUT',
    missing,
    { as: allowed, headers: { ...JSON_TYPE, ...STALE }, body: LARGE },
  ],
  [
    'an invalid body',
    400,
    'PUT',
    missing,
    { as: allowed, headers: { ...JSON_TYPE, ...STALE }, body: '{"name":1}' },
  ],
  ['a missing record', 404, 'PUT', missing, { as: allowed, headers: { ...JSON_TYPE, ...STALE }, body: '{}' }],
] as const)('responds to %s with %i', async (_name, status, method, path, options: Options) => {
  const authorization = options.as?.();
  const response = await fetch(api.url + path, {
    method,
    headers: { ...options.headers, ...(authorization && { authorization }) },
    body: options.body,
  });
  expect(response.status).toBe(status);
});

type Options = { as?: () => string; headers: Record<string, string>; body: string };
function allowed(): string {
  return basic(api.practice.apiKey);
}
