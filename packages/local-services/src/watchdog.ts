import { spawn } from 'node:child_process';
import { programPath } from './program-path.ts';

/** Waits for a line, or for the end of the pipe, at which it becomes the command it was given. */
const WAIT_FOR_THE_END = 'read -r _ || exec "$@"';

export type Watchdog = { end(): void };

/**
 * Sees to it that the servers recorded in `directory` are stopped, and the directory is removed if it is not
 * kept, when this process ends without having done so: by an exception, by Ctrl-C or by kill -9. A shell of
 * 1 MB waits for the pipe from here to close, which the system does in every case.
 */
export function startWatchdog(directory: string, mode: 'keep' | 'throw-away'): Watchdog {
  const clear = [process.execPath, programPath('watchdog-process'), directory, mode];
  const shell = spawn('sh', ['-c', WAIT_FOR_THE_END, 'sh', ...clear], {
    cwd: '/',
    detached: true,
    // Not NODE_OPTIONS: what this process loads or debugs is nothing to the watchdog.
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Engines are still stopped in an orderly way without a watchdog, so its failure is no reason to fail.
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  // Neither the shell nor its pipe keeps this process from ending.
  shell.unref();
  if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref();
  return { end: () => shell.stdin.end('\n') };
}
