import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { peakMemory } from '../processes.ts';

/** The built program of the command line. */
export const CHAIRSIDE = fileURLToPath(new URL('../../apps/cli/dist/entry.js', import.meta.url));

/** How often the peak memory of a command is read. The peak only rises, so little is missed at the end. */
const MEMORY_INTERVAL_MS = 20;

/** The environment of a command: the variables that every command needs, and further ones. */
export const environmentOf = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: tmpdir(),
  XDG_CONFIG_HOME: `${tmpdir()}/chairside-bench-none`,
  ...more,
});

export type Measured = { milliseconds: number; peak: number; stderr: string };

/** Resolves when a process ends. Rejects unless the exit code is 0. */
const measure = async (child: ChildProcess): Promise<Measured> => {
  const startedAt = performance.now();
  let peak = 0;
  const timer = setInterval(() => {
    try {
      peak = Math.max(peak, peakMemory(child.pid as number) || 0);
    } catch {
      // The process has ended.
    }
  }, MEMORY_INTERVAL_MS);
  const stderr = child.stderr === null ? Promise.resolve('') : text(child.stderr);
  const [code] = await once(child, 'exit');
  const milliseconds = performance.now() - startedAt;
  clearInterval(timer);
  if (code !== 0) throw new Error(`a command ended with ${code}: ${await stderr}`);
  return { milliseconds, peak, stderr: await stderr };
};

/** Runs a program whose output is discarded, and measures it. */
export const run = (
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Measured> =>
  measure(spawn(file, args, { env: environmentOf(environment), stdio: ['ignore', 'ignore', 'pipe'] }));

/** Runs the built command line, and measures it. */
export const chairside = (
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Measured> => run(process.execPath, [CHAIRSIDE, ...args], environment);
