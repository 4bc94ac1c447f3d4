import { afterAll, beforeAll, expect, test } from 'vitest';
import { PAGES } from '../src/reference/pages.ts';
import { openTestApi, type TestApi } from './api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

test('redirects the root to the reference', async () => {
  const response = await fetch(api.url, { redirect: 'manual' });
  expect(response.status).toBe(302);
  expect(response.headers.get('location')).toBe('/docs');
});

test.each(Object.keys(PAGES))('%s is a page that has no dead link and loads nothing', async (path) => {
  const response = await fetch(`${api.url}${path}`);
  const html = await response.text();
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(html).toMatch(/<h1 id="[^"]+">/);
  expect(html).not.toMatch(/<(script|img|link rel="stylesheet"|iframe)/);

  const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href);
  for (const href of links.filter((link) => !/^(https?|data):/.test(link))) {
    const [target = '', anchor] = new URL(href, `${api.url}${path}`).href.split('#');
    const linked = await fetch(target);
    expect(`${href}: ${linked.status}`).toBe(`${href}: 200`);
    const text = await linked.text();
    if (anchor !== undefined) expect(text).toContain(`id="${anchor}"`);
  }
});
