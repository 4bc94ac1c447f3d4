import { defineConfig } from 'vitest/config';

const conditions = ['@chairside/source', 'node'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // Runs the global setup, which starts the engines.
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'packages/*/test/**/*.test.ts',
      'apps/*/src/**/*.test.ts',
      'apps/*/test/**/*.test.ts',
      'apps/dashboard/*/{src,test}/**/*.test.ts',
      'chaos/*.test.ts',
      'scripts/*.test.ts',
    ],
    // What takes long is left to vitest.release.config.ts, what needs a replica set to vitest.replica-set.config.ts.
    exclude: ['**/node_modules/**', '**/*.release.test.ts', '**/*.replica-set.test.ts'],
    globalSetup: ['scripts/test-engines.ts'],
    reporters: ['default', './scripts/test-count.ts'],
    // Real engines on two cores: a slow machine is no failure.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 10_000 } },
    maxWorkers: 2,
    // Each file has a database of its own and leaves no state in modules. Loading the modules anew for each file would
    // take a third of the CPU time of the api's tests.
    isolate: false,
  },
});
