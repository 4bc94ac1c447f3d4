import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';

export type CommandOptions = {
  signal: AbortSignal;
  cwd?: string;
  environment?: NodeJS.ProcessEnv;
  /** The complete standard input of the command. Default: empty. */
  input?: string;
  /** Called with each line that the command writes to standard output or standard error. */
  onLine?: (line: string) => void;
  /** The maximum duration of the command. Default: no limit. */
  timeoutMs?: number;
  /** The signal that ends the command after an abort or a timeout. Default: SIGTERM. */
  killSignal?: NodeJS.Signals;
};

/** Thrown when a command does not end with code 0. The message contains the last lines of its output. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly lastLines: readonly string[];

  constructor(summary: string, lastLines: readonly string[]) {
    super([summary, ...lastLines].join('\n'));
    this.lastLines = lastLines;
  }
}

const LINES_SHOWN = 6;

/**
 * Runs a command to its end and returns its standard output.
 *
 * @throws {CommandFailure} if the command cannot be run, takes too long, or does not end with code 0
 * @throws the reason of `signal` if it is aborted
 */
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
  const onLine = (line: string) => {
    options.onLine?.(line);
    lastLines.push(line);
    if (lastLines.length > LINES_SHOWN) lastLines.shift();
  };
  const output: string[] = [];
  createInterface({ input: child.stderr }).on('line', onLine);
  createInterface({ input: child.stdout }).on('line', (line) => {
    output.push(line);
    onLine(line);
  });
  // A command may end without reading its input. Only its exit code decides whether it failed.
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  let problem: string | undefined;
  child.once('error', (error) => {
    problem = error.name === 'AbortError' ? 'took too long' : error.message;
  });
  // An aborted command must have ended before the caller removes its files. `once` would not wait after an error.
  const [code, killedBy] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
    child.once('close', (...end) => resolve(end)),
  );
  options.signal.throwIfAborted();
  if (code === 0) return output.join('\n');
  const ending = problem ?? (killedBy === null ? `exit ${code}` : String(killedBy));
  throw new CommandFailure(`${basename(command)} failed (${ending})`, lastLines);
}
