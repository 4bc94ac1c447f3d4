import type { ViteUserConfig } from 'vitest/config';

const conditions = ['@chairside/source', 'node'];

/** What the configurations of all test runs share. */
export const base = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // Runs the global setup, which starts the engines.
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    reporters: ['default', './scripts/test-count.ts'],
    // Real engines on two cores: a slow machine is no failure.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 10_000 } },
    // One more than the two cores of CI: tests wait for processes and timers a fifth of the time.
    maxWorkers: 3,
    // Each file has a database of its own and leaves no state in modules. Loading the modules anew for each file would
    // take a third of the CPU time of the api's tests.
    isolate: false,
  },
} satisfies ViteUserConfig;
