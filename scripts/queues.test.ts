import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

test('docs/queues.md has a row for each queue', () => {
  const files = globSync('{apps,packages}/**/src/**/*.ts', {
    cwd: root,
    exclude: ['**/node_modules/**', '**/*.test.ts', 'packages/concurrency/**'],
  });
  const queues = files.flatMap((file) => [...read(file).matchAll(/\bcreateFairQueue\(/g)].map(() => file));
  const rows = [...read('docs/queues.md').matchAll(/^\| .*\]\(\.\.\/(\S+)\) \|$/gm)].map(([, file]) => file);
  expect(rows.toSorted()).toEqual(queues.toSorted());
});
