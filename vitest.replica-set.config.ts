import { defineConfig } from 'vitest/config';
import { base } from './vitest.base.ts';

/** The tests that need a replica set. `npm run check:replica-set` runs them with the MONGODB_URL of one. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['apps/demo/test/*.replica-set.test.ts'],
    exclude: ['**/node_modules/**'],
    globalSetup: ['scripts/test-engines.ts'],
  },
});
