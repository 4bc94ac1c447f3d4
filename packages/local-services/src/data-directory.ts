import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LockWait, takeLock } from './lock.ts';
import { LocalServicesError, systemCode } from './problem.ts';
import { type ServerProcess, stopServer } from './server-process.ts';

/*
 * <data directory>/lock           who uses it now
 * <data directory>/servers.json   what that one has started, so that a successor can find an orphan
 * <data directory>/about.txt      what this is, for people; and the mark of a directory that may be removed
 * <data directory>/<kind>/        the data, a folder for each kind of engine
 */

const ABOUT = `The data of a local MongoDB or Redis, in a folder for each kind of engine: one cannot read what
another has written. Made and used by @chairside/local-services. Remove it only while nothing runs on it.
`;

export type ClaimedDirectory = {
  /** Replaces the list of what runs on the directory. */
  record(servers: readonly ServerProcess[]): Promise<void>;
  release(): Promise<void>;
};

/** Makes the directory ours and stops what an earlier owner left running on it. Throws `DATA_IN_USE`. */
export async function claim(directory: string, wait: LockWait): Promise<ClaimedDirectory> {
  await mkdir(directory, { recursive: true });
  const path = join(directory, 'lock');
  let result = await takeLock(path, { waitMs: 0 });
  // For what this process holds itself it would wait in vain.
  if (result.outcome === 'held' && result.by.pid !== process.pid) result = await takeLock(path, wait);
  if (result.outcome === 'held') {
    throw new LocalServicesError(
      'DATA_IN_USE',
      `The data in ${directory} is in use by process ${result.by.pid}. Stop that one first, or use another data directory.`,
    );
  }
  const { release } = result.lock;
  const records = join(directory, 'servers.json');
  try {
    await stopOrphans(records);
    await writeFile(join(directory, 'about.txt'), ABOUT);
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

/** Each is known by its pid and its time of birth: a stranger with the same pid is left alone. */
async function stopOrphans(records: string): Promise<void> {
  const orphans = JSON.parse(await readIfThere(records, '[]')) as ServerProcess[];
  for (const orphan of orphans.toReversed()) await stopServer(orphan);
  await rm(records, { force: true });
}

async function readIfThere(path: string, otherwise: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return otherwise;
    throw error;
  }
}

/** Removes a directory that is ours. Another process may be removing it at the same time. */
export function throwAway(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true, maxRetries: 5 });
}
