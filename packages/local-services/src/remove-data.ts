import { rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type ClaimedDirectory, discard } from '@chairside/processes';
import { exists } from './cache-entry.ts';
import { claimData, MARK } from './data-directory.ts';
import { ENGINE_NAMES } from './engine.ts';

/**
 * Removes the data of engines from the data directory of `startEngines`, `startMongodb` or `startRedis`, and stops
 * orphaned engines that run on it. Other files in the directory are not touched.
 *
 * @throws {LocalServicesError} `DATA_IN_USE` while a process uses any part of the data; nothing is removed then
 */
export async function removeData(options: { dataDirectory: string }): Promise<void> {
  const top = resolve(options.dataDirectory);
  const claimed: { directory: string; claim: ClaimedDirectory }[] = [];
  try {
    for (const directory of [top, ...ENGINE_NAMES.map((name) => join(top, name))]) {
      if (!(await exists(join(directory, MARK)))) continue;
      claimed.push({ directory, claim: await claimData(directory, { waitMs: 0 }) });
    }
  } catch (error) {
    await Promise.all(claimed.map((each) => each.claim.release()));
    throw error;
  }
  await Promise.all(claimed.map(({ directory }) => discard(directory)));
  // Succeeds only if the directory is empty.
  await rmdir(top).catch(() => {});
}
