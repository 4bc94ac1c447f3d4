import { globSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { serviceTests } from './scripts/test-projects.ts';
import { base } from './vitest.base.ts';

const include = [
  'packages/*/src/**/*.test.ts',
  'packages/*/test/**/*.test.ts',
  'apps/*/src/**/*.test.ts',
  'apps/*/test/**/*.test.ts',
  'apps/dashboard/*/{src,test}/**/*.test.ts',
  'bench/*/*.test.ts',
  'chaos/*.test.ts',
  'scripts/*.test.ts',
];
// vitest.release.config.ts runs the tests that take long, and vitest.replica-set.config.ts those that need a replica
// set.
const exclude = ['**/node_modules/**', '**/*.release.test.ts', '**/*.replica-set.test.ts'];

const root = import.meta.dirname;
const service = serviceTests(root, globSync(include, { cwd: root, exclude }));

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    projects: [
      // A new file is in this project until the configuration is read again.
      { extends: true, test: { name: 'unit', include, exclude: [...exclude, ...service] } },
      // Vitest starts the engines only if a file of this project runs.
      {
        extends: true,
        test: { name: 'service', include: service, globalSetup: ['scripts/test-engines.ts'] },
      },
    ],
  },
});
