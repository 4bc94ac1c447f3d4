import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with one plain line of its real counts. A file that cannot be loaded is a failure. */
export default class TestCount implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        if (test.result().state === 'passed') passed++;
        else failed++;
      }
    }
    console.log(`\n${passed} passed, ${failed} failed`);
  }
}
