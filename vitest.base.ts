import type { ViteUserConfig } from 'vitest/config';

const conditions = ['@chairside/source', 'node'];

/** The settings that all test runs share. */
export const base = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // This environment runs the global setup, which starts the engines.
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    reporters: ['default', './scripts/test-count.ts'],
    // The tests use real engines, possibly on two cores. They must not fail because the machine is slow.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 10_000 } },
    // One worker more than the two cores of CI, because tests wait for processes and timers a fifth of the time.
    maxWorkers: 3,
    // Each file has a database of its own and leaves no state in modules. Loading the modules again for each file would
    // take a third of the CPU time of the api's tests.
    isolate: false,
  },
} satisfies ViteUserConfig;
