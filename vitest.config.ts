import { defineConfig } from 'vitest/config';
import { base } from './vitest.base.ts';

/** The test files of every folder whose name ends in this. */
const filesWith = (suffix: string): string[] => [
  `packages/*/{src,test}/**/*${suffix}`,
  `apps/*/{src,test}/**/*${suffix}`,
  `apps/dashboard/*/{src,test}/**/*${suffix}`,
  `bench/*/*${suffix}`,
  `chaos/**/*${suffix}`,
  `scripts/*${suffix}`,
];

const [SERVICE, LONG] = ['.service.test.ts', '.long.test.ts'];
// vitest.release.config.ts runs the tests before a release, and vitest.replica-set.config.ts those that need a replica
// set.
const exclude = ['**/node_modules/**', `**/*{${SERVICE},${LONG},.release.test.ts,.replica-set.test.ts}`];
// Vitest starts the engines only if a file of the project runs.
const globalSetup = ['scripts/test-engines.ts'];

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    projects: [
      { extends: true, test: { name: 'unit', include: filesWith('.test.ts'), exclude } },
      { extends: true, test: { name: 'service', include: filesWith(SERVICE), globalSetup } },
      { extends: true, test: { name: 'long', include: filesWith(LONG), globalSetup } },
    ],
  },
});
