import type { ViteUserConfig } from 'vitest/config';
import { LONGEST_WAIT_MS } from './packages/test-support/src/longest-wait.ts';

const conditions = ['@chairside/source', 'node'];

/** The settings that all test runs share. */
export const base = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // This environment runs the global setup, which starts the engines.
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    reporters: ['default', './scripts/test-count.ts'],
    // A test or a hook may wait for several events, one after the other.
    testTimeout: 5 * LONGEST_WAIT_MS,
    hookTimeout: 5 * LONGEST_WAIT_MS,
    expect: { poll: { timeout: LONGEST_WAIT_MS } },
    // Two workers more than the two cores of CI, because tests wait for processes and timers a fifth of the time.
    maxWorkers: 4,
    // Each file has a database of its own and leaves no state in modules. Loading the modules again for each file would
    // take a third of the CPU time of the api's tests.
    isolate: false,
  },
} satisfies ViteUserConfig;
