import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { CliError } from '../failure.ts';

/** The process of a lock; 0 if it was released meanwhile, or a crash has left it empty. */
const holderOf = (path: string): number => {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
};

const isRunning = (pid: number): boolean => {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/**
 * Reserves a file for this run. Two runs at once would write each refused row twice. `takeLock` of @chairside/processes is
 * not used, because it tells processes apart with programs that Windows does not have.
 *
 * @returns a function that releases it. After a crash, the next run finds that the process of the lock does not run
 * @throws {CliError} while another run with this file is in progress on this computer
 */
export const lockRun = (file: string): (() => void) => {
  const path = `${file}.chairside-lock`;
  for (;;) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx', mode: 0o600 });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const pid = holderOf(path);
    if (isRunning(pid))
      throw new CliError(
        `${file}: another run with this file is in progress, as process ${pid}. Wait until it has ended. If that process is another program, delete ${path}.`,
      );
    rmSync(path, { force: true });
  }
};
