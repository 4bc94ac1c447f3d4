import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClaimedDirectory, claim, DirectoryInUse, type LockWait } from '@chairside/processes';
import { LocalServicesError } from './problem.ts';

/*
 * <data directory>/about.txt explains the directory to people, and marks it as one that `removeData` may remove.
 * <data directory>/<kind>/ is the data of one kind of engine.
 *
 * The other files are those of a claimed directory of @chairside/processes.
 */

export const MARK = 'about.txt';

const ABOUT = `The data of a local MongoDB or Redis, with one folder for each kind of engine, because engines cannot
read each other's data. Created and used by @chairside/local-services. Remove it only while nothing uses it.
`;

/**
 * Claims a data directory, and stops the engines that an earlier owner left running on it.
 *
 * @throws {LocalServicesError} `DATA_IN_USE`
 */
export async function claimData(directory: string, wait: LockWait): Promise<ClaimedDirectory> {
  const claimed = await claim(directory, wait).catch((error: unknown) => {
    if (!(error instanceof DirectoryInUse)) throw error;
    throw new LocalServicesError(
      'DATA_IN_USE',
      `The data in ${directory} is in use by process ${error.pid}. Stop that process, or use another data directory.`,
      { cause: error },
    );
  });
  try {
    await writeFile(join(directory, MARK), ABOUT);
  } catch (error) {
    await claimed.release();
    throw error;
  }
  return claimed;
}
