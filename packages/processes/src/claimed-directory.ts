import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LockWait, takeLock } from './lock.ts';
import { type ServerProcess, stopServer } from './servers.ts';

/*
 * <directory>/lock           the process that has claimed the directory
 * <directory>/servers.json   the servers that this process has started, so that its successor can stop orphans
 */

export type ClaimedDirectory = {
  /** Replaces the list of the servers that run on the directory. */
  record(servers: readonly ServerProcess[]): Promise<void>;
  release(): Promise<void>;
};

/** Thrown when another process has claimed the directory and still runs. */
export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse';
  /** The pid of the process that has claimed the directory. */
  readonly pid: number;

  constructor(directory: string, pid: number) {
    super(`${directory} is in use by process ${pid}`);
    this.pid = pid;
  }
}

/**
 * Claims the directory for this process and stops the servers that an earlier owner left running on it. The directory
 * is created if it is missing.
 *
 * @throws {DirectoryInUse} if another process still holds the claim after `wait.waitMs`, or if this process already
 *   holds it
 */
export async function claim(directory: string, wait: LockWait): Promise<ClaimedDirectory> {
  await mkdir(directory, { recursive: true });
  const path = join(directory, 'lock');
  let result = await takeLock(path, { waitMs: 0 });
  // If this process holds the lock itself, waiting would be useless.
  if (result.outcome === 'held' && result.by.pid !== process.pid) result = await takeLock(path, wait);
  if (result.outcome === 'held') throw new DirectoryInUse(directory, result.by.pid);
  const { release } = result.lock;
  const records = join(directory, 'servers.json');
  try {
    await stopOrphans(records);
  } catch (error) {
    await release();
    throw error;
  }
  return {
    record: async (servers) => {
      await writeFile(`${records}.new`, JSON.stringify(servers));
      await rename(`${records}.new`, records);
    },
    release: async () => {
      await rm(records, { force: true });
      await release();
    },
  };
}

/** A server is identified by its pid and its start time: another process with the same pid is not stopped. */
async function stopOrphans(records: string): Promise<void> {
  const orphans = JSON.parse(await readIfThere(records, '[]')) as ServerProcess[];
  for (const orphan of orphans.toReversed()) await stopServer(orphan);
  await rm(records, { force: true });
}

async function readIfThere(path: string, otherwise: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise;
    throw error;
  }
}

/** Removes a claimed directory. Another process may be removing it at the same time. */
export function discard(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true, maxRetries: 5 });
}
