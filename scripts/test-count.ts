import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const SLOWEST = 10;

/** The seconds that a file took, including the time that loading it took. */
const secondsOf = (module: TestModule): number => {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  return (collectDuration + setupDuration + duration) / 1000;
};

/**
 * Prints the slowest files of a test run and, as the last line, the counts. A file that cannot be loaded counts as a
 * failure.
 */
export default class TestCount implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let skipped = 0;
    let failed = unhandledErrors.length;
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed++;
        else if (state === 'skipped') skipped++;
        else failed++;
      }
    }
    if (modules.length > 1) {
      const slowest = modules
        .map((module) => ({ file: relative(process.cwd(), module.moduleId), seconds: secondsOf(module) }))
        .toSorted((a, b) => b.seconds - a.seconds)
        .slice(0, SLOWEST);
      console.log('\nSlowest files, in seconds:');
      for (const { file, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(6)}  ${file}`);
    }
    console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  }
}
