import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

/** How long a service may take to become ready, and to end. */
const TIMEOUT_MS = 60_000;
const POLL_MS = 50;
/** The number of log lines that a failure shows. */
const SHOWN_LINES = 30;

/** A running service. */
export type Running = {
  name: string;
  /**
   * Asks the service to end, and waits for it.
   *
   * @throws {Error} with the end of its log if its exit code is not 0, or if it does not end in time
   */
  end(): Promise<void>;
};

const linesOf = (child: ChildProcess): string[] => {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    if (stream !== null) createInterface({ input: stream }).on('line', (line) => lines.push(line));
  return lines;
};

/**
 * Waits until a program ends.
 *
 * @param name what a failure calls it
 * @param codes the exit codes that are no failure
 * @returns its output
 * @throws {Error} with the output after another exit code
 */
export const outputOf = async (
  name: string,
  child: ChildProcess,
  codes: readonly number[] = [0],
): Promise<string> => {
  const lines = linesOf(child);
  const [code] = await once(child, 'close');
  if (codes.includes(code)) return lines.join('\n');
  throw new Error(`${name} ended with ${code}:\n${lines.join('\n')}`);
};

/**
 * Waits until a service that was just started is ready.
 *
 * @param name what a failure calls it
 * @param readiness the address that responds with 200 when the service is ready
 * @throws {Error} with the log if the service ends or is not ready in time
 */
export const untilReady = async (
  name: string,
  child: ChildProcess,
  readiness: string,
): Promise<Running & { readyAfterMs: number }> => {
  const began = performance.now();
  const lines = linesOf(child);
  const closed = once(child, 'close').then(([code]) => code as number | null);
  const failure = (what: string): Error =>
    new Error(`${name} ${what}. Its log:\n${lines.slice(-SHOWN_LINES).join('\n')}`);
  const isReady = (): Promise<boolean> =>
    fetch(readiness, { signal: AbortSignal.timeout(5000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (child.exitCode !== null || child.signalCode !== null) throw failure(`ended with ${await closed}`);
    if (performance.now() - began > TIMEOUT_MS) throw failure(`was not ready after ${TIMEOUT_MS / 1000} s`);
    await delay(POLL_MS);
  }
  return {
    name,
    readyAfterMs: performance.now() - began,
    async end() {
      child.kill('SIGTERM');
      const code = await Promise.race([closed, delay(TIMEOUT_MS, 'late', { ref: false })]);
      if (code === 0) return;
      child.kill('SIGKILL');
      throw failure(
        code === 'late' ? `did not end within ${TIMEOUT_MS / 1000} s of SIGTERM` : `ended with ${code}`,
      );
    },
  };
};
