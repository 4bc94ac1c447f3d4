import { defineConfig } from 'vitest/config';
import { base } from './vitest.base.ts';

/** The test files of every folder whose name ends in this. */
const filesWith = (suffix: string): string[] => [
  `packages/*/{src,test}/**/*${suffix}`,
  `apps/*/{src,test}/**/*${suffix}`,
  `apps/dashboard/*/{src,test}/**/*${suffix}`,
  `bench/*/*${suffix}`,
  `chaos/*${suffix}`,
  `scripts/*${suffix}`,
];

const SERVICE = '.service.test.ts';
// vitest.release.config.ts runs the tests that take long, and vitest.replica-set.config.ts those that need a replica
// set.
const exclude = ['**/node_modules/**', `**/*{${SERVICE},.release.test.ts,.replica-set.test.ts}`];

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    projects: [
      { extends: true, test: { name: 'unit', include: filesWith('.test.ts'), exclude } },
      // Vitest starts the engines only if a file of this project runs.
      {
        extends: true,
        test: { name: 'service', include: filesWith(SERVICE), globalSetup: ['scripts/test-engines.ts'] },
      },
    ],
  },
});
