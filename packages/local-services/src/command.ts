import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';

export type CommandOptions = {
  signal: AbortSignal;
  cwd?: string;
  environment?: NodeJS.ProcessEnv;
  /** Given to standard input, which is empty otherwise. */
  input?: string;
  /** Called with each line of either output. */
  onLine?: (line: string) => void;
  /** Default: none. */
  timeoutMs?: number;
  /** Sent when the signal or the time limit ends the command. Default: SIGTERM. */
  killSignal?: NodeJS.Signals;
};

/** A command that did not end with 0. The message says so and holds its last lines. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly lastLines: readonly string[];

  constructor(summary: string, lastLines: readonly string[]) {
    super([summary, ...lastLines].join('\n'));
    this.lastLines = lastLines;
  }
}

const LINES_SHOWN = 6;

/** Runs a command to its end and gives its standard output. Throws `CommandFailure`, or the signal's reason. */
export async function run(
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<string> {
  const signals = [options.signal];
  if (options.timeoutMs !== undefined) signals.push(AbortSignal.timeout(options.timeoutMs));
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.environment ?? process.env,
    stdio: 'pipe',
    signal: AbortSignal.any(signals),
    killSignal: options.killSignal ?? 'SIGTERM',
  });
  const lastLines: string[] = [];
  const hear = (line: string) => {
    options.onLine?.(line);
    lastLines.push(line);
    if (lastLines.length > LINES_SHOWN) lastLines.shift();
  };
  const output: string[] = [];
  createInterface({ input: child.stderr }).on('line', hear);
  createInterface({ input: child.stdout }).on('line', (line) => {
    output.push(line);
    hear(line);
  });
  // A command that ends without reading its input is judged by its exit code.
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  let problem: string | undefined;
  child.once('error', (error) => {
    problem = error.name === 'AbortError' ? 'took too long' : error.message;
  });
  // Also after an error: what has been aborted must be gone before its files are removed.
  const [code, killedBy] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  options.signal.throwIfAborted();
  if (code === 0) return output.join('\n');
  const ending = problem ?? (killedBy === null ? `exit ${code}` : String(killedBy));
  throw new CommandFailure(`${basename(command)} failed (${ending})`, lastLines);
}
