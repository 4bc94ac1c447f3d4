import { defineConfig } from 'vitest/config';
import { base } from './vitest.base.ts';

/** What only a replica set can do; run by `npm run check:replica-set`, with the MONGODB_URL of one. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['apps/demo/test/*.replica-set.test.ts'],
    exclude: ['**/node_modules/**'],
    globalSetup: ['scripts/test-engines.ts'],
  },
});
