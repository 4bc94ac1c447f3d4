import { spawn } from 'node:child_process';
import { nodeArguments } from './program.ts';

/**
 * A shell script that waits for a line on standard input. If standard input ends without a line, the shell executes the
 * given command.
 */
const WAIT_FOR_THE_END = 'read -r _ || exec "$@"';

/** `end` dismisses the watchdog. Call it after this process has cleaned up. */
export type Watchdog = { end(): void };

/**
 * Cleans up after this process if it ends without calling `end`: by an exception, by Ctrl-C or by SIGKILL. The watchdog
 * stops the servers that are recorded in the claimed `directory`, and removes the directory in mode `throw-away`. It is
 * a shell that uses 1 MB and waits until the pipe from this process closes. The operating system closes the pipe
 * however this process ends.
 */
export function startWatchdog(directory: string, mode: 'keep' | 'throw-away'): Watchdog {
  const clear = [process.execPath, ...nodeArguments(import.meta.url, 'watchdog-process'), directory, mode];
  const shell = spawn('sh', ['-c', WAIT_FOR_THE_END, 'sh', ...clear], {
    cwd: '/',
    detached: true,
    // The environment contains no NODE_OPTIONS, because the watchdog must not load the modules or the debugger of this
    // process.
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // A missing watchdog is not an error, because this process still stops its servers when it ends normally.
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  // Neither the shell nor its pipe keeps this process running.
  shell.unref();
  if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref();
  return { end: () => shell.stdin.end('\n') };
}
