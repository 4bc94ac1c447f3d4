import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { Builder, Run } from './builder.ts';

/** How long a service may take to become ready, and to end. */
const TIMEOUT_MS = 60_000;
const POLL_MS = 50;
/** The number of log lines that a failure shows. */
const SHOWN_LINES = 30;

/** A process that runs an image. */
export type Running = {
  /** The lines of its log. */
  lines: string[];
  /** Asks the process to end. Resolves with its exit code. */
  end(): Promise<number | null>;
};

const linesOf = (child: ChildProcess): string[] => {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    if (stream !== null) createInterface({ input: stream }).on('line', (line) => lines.push(line));
  return lines;
};

/**
 * Runs an image until it ends.
 *
 * @returns its output
 * @throws {Error} with the output if the exit code is not 0
 */
export const runToEnd = async (builder: Builder, run: Run): Promise<string> => {
  const child = await builder.run(run);
  const lines = linesOf(child);
  const [code] = await once(child, 'close');
  if (code === 0) return lines.join('\n');
  throw new Error(
    `${run.image} ${(run.arguments ?? run.command ?? []).join(' ')} ended with ${code}:\n${lines.join('\n')}`,
  );
};

/**
 * Starts a service from its image.
 *
 * @param readiness the address that responds with 200 when the service is ready
 * @returns the running service, and the time until it was ready
 * @throws {Error} with the log if the service ends or is not ready in time
 */
export const startService = async (
  builder: Builder,
  run: Run,
  readiness: string,
): Promise<Running & { readyAfterMs: number }> => {
  const began = performance.now();
  const child = await builder.run(run);
  const lines = linesOf(child);
  const closed = once(child, 'close').then(([code]) => code as number | null);
  const failure = (what: string): Error =>
    new Error(`${run.image} ${what}. Its log:\n${lines.slice(-SHOWN_LINES).join('\n')}`);
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
    lines,
    readyAfterMs: performance.now() - began,
    async end() {
      child.kill('SIGTERM');
      const code = await Promise.race([closed, delay(TIMEOUT_MS, 'late', { ref: false })]);
      if (code !== 'late') return code as number | null;
      child.kill('SIGKILL');
      throw failure(`did not end within ${TIMEOUT_MS / 1000} s of SIGTERM`);
    },
  };
};
