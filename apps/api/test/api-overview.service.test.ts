import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RouteEntry } from '../src/http/route-list.ts';
import { openTestApi, type TestApi } from './api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

const needOf = ({ access }: RouteEntry): string[] => {
  if (access === 'public') return ['–'];
  const program = access.program ? ' or program token' : '';
  if ('keysOnly' in access) return ['API key'];
  if ('scope' in access) return [`\`${access.scope}\`${program}`];
  if ('anyScope' in access)
    return [access.anyScope.length === 0 ? 'the scopes of its writes' : `a read scope${program}`];
  return [`${access.role === 'administrator' ? 'administrator' : 'access token'}${program}`];
};

test('docs/api.md has a row for each path, with its methods and the required credentials', () => {
  const paths = new Map<string, RouteEntry[]>();
  for (const route of api.app.routeList) {
    if (route.method === 'HEAD') continue;
    const path = route.url.replace(/:(\w+)/g, '{$1}');
    paths.set(path, [...(paths.get(path) ?? []), route]);
  }
  const expected = [...paths].map(([path, routes]) => {
    const methods = routes.map(({ method }) => method).join(', ');
    return `| \`${path}\` | ${methods} | ${[...new Set(routes.flatMap(needOf))].join(', ')} |`;
  });
  const page = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
  expect(page.split('\n').filter((line) => line.startsWith('| `/'))).toEqual(expected);
});
