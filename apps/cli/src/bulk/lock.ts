import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { identify, isAlive, type ProcessIdentity } from '@chairside/processes/identity';
import { CliError } from '../failure.ts';

/** The process that holds a lock, and its computer. A container is a computer of its own. */
type Holder = ProcessIdentity & { computer: string };

/** How often a run shows that it lives, in milliseconds. */
const BEAT_MS = 5000;
/** A run of another computer whose lock is older than this has ended, in milliseconds. */
const DEAD_AFTER_MS = 60_000;

/** Undefined if the lock was released meanwhile, or a crash has left it without content. */
const readHolder = (path: string): Holder | undefined => {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/** How long ago a lock was renewed, by the clock of its file system, in milliseconds. */
const ageOf = (path: string): number => {
  const probe = `${path}.${process.pid}`;
  try {
    writeFileSync(probe, '', { mode: 0o600 });
    return statSync(probe).mtimeMs - statSync(path).mtimeMs;
  } finally {
    rmSync(probe, { force: true });
  }
};

/** Pids mean nothing on another computer. So a run of another computer counts while it renews its lock. */
const isInProgress = async (path: string, holder: Holder, computer: string): Promise<boolean> =>
  holder.computer === computer ? isAlive(holder) : ageOf(path) < DEAD_AFTER_MS;

/**
 * Reserves a file for this run. Two runs at once would write each refused row twice. `takeLock` of @chairside/processes is
 * not used, because its files are never shared between computers.
 *
 * @returns a function that releases it. After a crash, the next run finds that the process of the lock does not run
 * @throws {CliError} while another run with this file is in progress
 */
export const lockRun = async (file: string): Promise<() => void> => {
  const path = `${file}.chairside-lock`;
  const computer = hostname();
  const own: Holder = { ...((await identify(process.pid)) ?? { pid: process.pid, birth: '' }), computer };
  for (;;) {
    try {
      writeFileSync(path, JSON.stringify(own), { flag: 'wx', mode: 0o600 });
      const beat = setInterval(() => renew(path), BEAT_MS).unref();
      return () => {
        clearInterval(beat);
        rmSync(path, { force: true });
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = readHolder(path);
    if (holder !== undefined && (await isInProgress(path, holder, computer)))
      throw new CliError(
        `${file}: another run with this file is in progress, as process ${holder.pid} on ${holder.computer}. Wait until it has ended.`,
      );
    rmSync(path, { force: true });
  }
};

/** Writes the first byte again, so that the file system sets the time by its own clock. */
const renew = (path: string): void => {
  try {
    const fd = openSync(path, 'r+');
    writeSync(fd, '{', 0);
    closeSync(fd);
  } catch {
    // Only a run of another computer needs the time, and this run does not end without it.
  }
};
