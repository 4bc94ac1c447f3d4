import type { Consumer } from './consumer.ts';
import { createConsumer } from './consumer.ts';

/** A check of the packed package. It returns a result to print, and throws if the package fails. */
export type Check = [name: string, run: (consumer: Consumer) => string | Promise<string>];

/**
 * Runs the checks on the packed package in an empty project, and sets the exit code.
 *
 * @param home the folder of the package
 */
export async function runChecks(home: string, checks: readonly Check[]): Promise<void> {
  const consumer = createConsumer(home);
  let failed = 0;
  for (const [name, run] of checks) {
    try {
      console.log(`ok      ${name}: ${(await run(consumer)).trim().replaceAll('\n', ', ')}`);
    } catch (error) {
      failed++;
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      console.log(`FAILED  ${name}: ${error}\n${stdout}${stderr}`);
    }
  }
  consumer.remove();
  console.log(`${checks.length - failed} passed, ${failed} failed (${home})`);
  process.exitCode = failed === 0 ? 0 : 1;
}
