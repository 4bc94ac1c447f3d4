import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exists } from './cache-entry.ts';
import { type Lock, tryLock } from './lock.ts';
import { LocalServicesError } from './problem.ts';
import { type ServerProcess, stopServer } from './server-process.ts';

/**
 * <dataDirectory>/lock           who uses it now
 * <dataDirectory>/servers.json   what that one started, so that its successor can find an orphan
 * <dataDirectory>/<kind>/        the data, one folder for each kind of engine
 */
export type ClaimedDirectory = {
  record(servers: readonly ServerProcess[]): Promise<void>;
  release(): Promise<void>;
};

/** Makes the directory ours; stops servers that an earlier owner left running. Throws `DATA_IN_USE`. */
export async function claim(dataDirectory: string): Promise<ClaimedDirectory> {
  await mkdir(dataDirectory, { recursive: true });
  const held = await tryLock(join(dataDirectory, 'lock'));
  if ('heldBy' in held) {
    throw new LocalServicesError(
      'DATA_IN_USE',
      `The data in ${dataDirectory} is in use by process ${held.heldBy.pid}: stop that first, or use another data directory.`,
    );
  }
  const records = join(dataDirectory, 'servers.json');
  try {
    await stopOrphans(records);
  } catch (error) {
    await held.release();
    throw error;
  }
  return claimed(held, records);
}

function claimed(held: Lock, records: string): ClaimedDirectory {
  return {
    record: async (servers) => {
      await writeFile(`${records}.new`, JSON.stringify(servers));
      await rename(`${records}.new`, records);
    },
    release: async () => {
      await rm(records, { force: true });
      await held.release();
    },
  };
}

async function stopOrphans(records: string): Promise<void> {
  if (!(await exists(records))) return;
  const orphans = JSON.parse(await readFile(records, 'utf8')) as ServerProcess[];
  for (const orphan of orphans.toReversed()) await stopServer(orphan);
  await rm(records);
}

/** Removes everything that engines have stored there. Throws `DATA_IN_USE` while one is running on it. */
export async function removeDataDirectory(dataDirectory: string): Promise<void> {
  if (!(await exists(dataDirectory))) return;
  const claimedDirectory = await claim(dataDirectory);
  try {
    await rm(dataDirectory, { recursive: true, force: true });
  } finally {
    await claimedDirectory.release();
  }
}
