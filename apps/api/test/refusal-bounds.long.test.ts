import { referencesIn } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_BODY_BYTES, MAX_PUBLIC_BODY_BYTES } from '../src/http/json-bodies.ts';
import { type ApiResponse, callerOf, openTestApi, type TestApi, token } from './api.ts';

/*
 * Bodies within the size limit with as many issues as possible, for every object and every array in every request
 * schema of the app's own document. The responses must stay small.
 */
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_ISSUES = 100;

let api: TestApi;
let document: any;
let resolve: ReturnType<typeof referencesIn>;
beforeAll(async () => {
  api = await openTestApi();
  document = JSON.parse(api.app.openApi);
  resolve = referencesIn(document);
});
afterAll(() => api.close());

/** A place in a body, with a function that returns the body with this JSON at the place. */
type Place = { path: string; type: 'object' | 'array'; wrap: (json: string) => string };

const placesOf = (schema: any, path = '', wrap: Place['wrap'] = (json) => json): Place[] => {
  const { type, properties = {}, items, anyOf = [] } = resolve(schema) ?? {};
  return [
    ...(type === 'object' || type === 'array' ? [{ path, type, wrap }] : []),
    ...anyOf.flatMap((each: any) => placesOf(each, path, wrap)),
    ...Object.entries(properties).flatMap(([name, each]) =>
      placesOf(each, `${path}.${name}`, (json) => wrap(`{${JSON.stringify(name)}:${json}}`)),
    ),
    ...(items === undefined ? [] : placesOf(items, `${path}.0`, (json) => wrap(`[${json}]`))),
  ];
};

/** As many entries as fit into this many bytes, separated by commas. */
const filled = (room: number, entry: (index: number) => string): string => {
  const entries: string[] = [];
  for (let size = 0; ; ) {
    const next = entry(entries.length);
    size += Buffer.byteLength(next) + 1;
    if (size > room) return entries.join(',');
    entries.push(next);
  }
};

/** The body of a route may have this size, without what `wrap` adds. */
const roomOf = (path: string): number => {
  const isPublic = document.paths[path].post?.security?.length === 0;
  return (isPublic ? MAX_PUBLIC_BODY_BYTES : MAX_BODY_BYTES) - 200;
};
const INVALID: Record<Place['type'], Record<string, (room: number) => string>> = {
  object: {
    'unknown keys': (room) => `{${filled(room, (index) => `"${index.toString(36)}":0`)}}`,
    'one long key': (room) => `{"${'k'.repeat(room)}":0}`,
    'keys with characters that JSON escapes': (room) =>
      `{${filled(room, (index) => `"${'\\u0001'.repeat(300)}${index}":0`)}}`,
    'keys with three bytes per character': (room) =>
      `{${filled(room, (index) => `"${'€'.repeat(300)}${index}":0`)}}`,
  },
  array: {
    'wrong entries': (room) => `[${filled(room, () => '7')}]`,
    'objects with unknown keys': (room) => `[${filled(room, () => '{"a":0,"b":0,"c":0}')}]`,
  },
};

/** 413: a body may have too many values (see docs/limits.md). */
const REFUSALS = [400, 413];

const expectBounded = (what: string, { text, json }: ApiResponse): void => {
  // A batch responds with an error for each write.
  const { statusCode, details } = json.results?.[0].error ?? json;
  const issues = details.issues?.length ?? 0;
  expect({
    what,
    isRefused: REFUSALS.includes(statusCode),
    isSmall: Buffer.byteLength(text) <= MAX_RESPONSE_BYTES,
    few: issues <= MAX_ISSUES,
  }).toEqual({
    what,
    isRefused: true,
    isSmall: true,
    few: true,
  });
};

test('no body within the size limit causes a response of more than 64 KiB or 100 issues', async () => {
  const as = token(api.practice.administrator.token);
  const seen: string[] = [];
  for (const [template, item] of Object.entries<any>(document.paths)) {
    for (const [method, { requestBody }] of Object.entries<any>(item)) {
      if (requestBody === undefined) continue;
      for (const { path, type, wrap } of placesOf(requestBody.content['application/json'].schema)) {
        for (const [name, invalid] of Object.entries(INVALID[type])) {
          // A reminder accepts any keys.
          if (path.endsWith('.reminders.0')) continue;
          const what = `${method} ${template} ${path}: ${name}`;
          const body = wrap(invalid(roomOf(template)));
          expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_BODY_BYTES);
          const url = template.replace(/\{\w+\}/g, 'x');
          expectBounded(what, await api.call(method.toUpperCase(), url, { as, body }));
          seen.push(what);
        }
      }
    }
  }
  expect(seen).toContain('post /api/apikeys .scopes: wrong entries');
  expect(seen).toContain('post /api/appointments .procedures.0: unknown keys');
  expect(seen.length).toBeGreaterThan(50);
});

test('no query causes such a response either, with or without credentials', async () => {
  const query = filled(15_000, (index) => index.toString(36)).replaceAll(',', '&');
  for (const { method, url, access } of api.app.routeList) {
    if (method !== 'GET') continue;
    const as = callerOf(api, access);
    expectBounded(url, await api.call(method, `${url.replace(/:\w+/g, 'x')}?${query}`, { as }));
  }
  const body = INVALID.object['unknown keys']?.(roomOf('/api/sessions'));
  expectBounded('a stranger', await api.call('POST', '/api/sessions', { as: '', body }));
});

test('the response lists all issues up to the limit, and counts the others', async () => {
  const responseTo = (unknown: number) => {
    const body = Object.fromEntries(Array.from({ length: unknown }, (_, index) => [`unknown${index}`, 0]));
    return api.call('POST', '/api/apikeys', {
      as: token(api.practice.administrator.token),
      body: { name: 'x', scopes: ['clinics:read'], ...body },
    });
  };
  const all = await responseTo(100);
  expect(all.json.details.issues).toHaveLength(100);
  expect(all.json.details).not.toHaveProperty('moreIssues');
  const some = await responseTo(12_000);
  expect(some.json.details.issues).toHaveLength(100);
  expect(some.json.details.moreIssues).toBe(11_900);
  expect(some.json.message).toMatch(/; and 11900 more\.$/);
  expect(some.json.message.length).toBeLessThan(2100);
});

test('a list that is too long is one issue, regardless of its wrong entries', async () => {
  const as = token(api.practice.administrator.token);
  const body = { name: 'x', scopes: Array(101).fill('wrong') };
  const { json } = await api.call('POST', '/api/apikeys', { as, body });
  expect(json.details.issues).toMatchObject([{ path: 'scopes', message: 'must have at most 100 entries' }]);
});
