import { defineConfig } from 'vitest/config';
import { LONGEST_WAIT_MS } from './packages/test-support/src/longest-wait.ts';
import { base } from './vitest.base.ts';

/** The tests that take long, and the main job over a Redis Cluster. `npm run check:release` runs them. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    // These tests do the work of minutes, and wait for it.
    testTimeout: 3_600_000,
    expect: { poll: { timeout: 5 * LONGEST_WAIT_MS } },
    include: [
      '{packages,apps}/*/{src,test}/**/*.release.test.ts',
      'apps/dashboard/*/test/**/*.release.test.ts',
      'chaos/*.release.test.ts',
      'packages/mongodb/test/bookings.service.test.ts',
      'packages/domain/src/patient-search.test.ts',
      'packages/schedule/test/reference.test.ts',
      'packages/signing/src/header-fuzz.test.ts',
      'apps/demo/test/main-job.service.test.ts',
      'apps/webhook-dispatcher/test/side-by-side.service.test.ts',
    ],
    exclude: ['**/node_modules/**'],
    globalSetup: ['scripts/release-engines.ts'],
    env: {
      HEADER_FUZZ_RUNS: '1000000',
      FOLLOWED_RESTARTS: '50',
      SEARCH_SETS: '100',
      SCHEDULE_RUNS: '1000',
      SCHEDULE_DAYS: '100000',
      BOOKING_RUNS: '1000',
    },
  },
});
