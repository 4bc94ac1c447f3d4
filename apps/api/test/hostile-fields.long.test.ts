import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi } from './api.ts';
import { refusedInAnyField } from './body-fields.ts';

/* The other values that are refused in any body. hostile-values.service.test.ts has a database operator. */
let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

const deep = (open: string, close: string) => `${open.repeat(1000)}1${close.repeat(1000)}`;
const VALUES: readonly (readonly [string, string])[] = [
  ['an escaped NUL', '"a\\u0000b"'],
  ['a lone surrogate', '"a\\ud800"'],
  ['an integer beyond 2^53', '9007199254740993'],
  ['a number beyond the range of doubles', '-1e400'],
  ['deep arrays', deep('[', ']')],
  ['deep objects', deep('{"a":', '}')],
  ['an array with a database operator', '[{"$ne":null}]'],
  ['200 KB of text', JSON.stringify('x'.repeat(200_000))],
];

test.each(VALUES)('refuses %s in any field of any body', async (_name, json) => {
  const seen = await refusedInAnyField(api, json);
  expect(seen).toContain('post /api/appointments procedures.0.price');
  expect(seen.length).toBeGreaterThan(50);
});
