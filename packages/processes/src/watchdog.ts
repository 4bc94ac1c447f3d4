import { spawn } from 'node:child_process';
import { nodeArguments } from './program.ts';

/** Waits for a line on standard input. If standard input ends without one, the shell becomes the given command. */
const WAIT_FOR_THE_END = 'read -r _ || exec "$@"';

/** `end` dismisses the watchdog, once this process has cleaned up itself. */
export type Watchdog = { end(): void };

/**
 * Cleans up after this process if it ends without calling `end`: by an exception, by Ctrl-C or by kill -9. The watchdog
 * stops the servers that are recorded in the claimed `directory`, and removes the directory in mode `throw-away`. It is
 * a shell of 1 MB that waits until the pipe from this process closes, which the system does in every case.
 */
export function startWatchdog(directory: string, mode: 'keep' | 'throw-away'): Watchdog {
  const clear = [process.execPath, ...nodeArguments(import.meta.url, 'watchdog-process'), directory, mode];
  const shell = spawn('sh', ['-c', WAIT_FOR_THE_END, 'sh', ...clear], {
    cwd: '/',
    detached: true,
    // Without NODE_OPTIONS: the watchdog must not load the modules or the debugger of this process.
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
