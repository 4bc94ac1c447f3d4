import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { takeLock } from '@chairside/processes';
import type { Search } from './sources/source.ts';

/**
 * Returns the folder `name` of the cache. If it does not exist, `build` creates its content in a folder with another
 * name, which is renamed when it is complete. So a folder called `name` is always complete. If two processes need it at
 * the same time, one builds it and the other waits.
 */
export async function cacheEntry(
  name: string,
  search: Search,
  build: (folder: string) => Promise<void>,
): Promise<{ folder: string; built: boolean }> {
  const folder = join(search.cacheDirectory, name);
  if (await exists(folder)) return { folder, built: false };
  const buildings = join(search.cacheDirectory, 'building');
  await mkdir(buildings, { recursive: true });
  const result = await takeLock(join(buildings, `${name}.lock`), {
    waitMs: Number.POSITIVE_INFINITY,
    signal: search.signal,
    onWait: (pid) => search.onProgress(`Waiting for process ${pid}, which is preparing ${name}`),
  });
  if (result.outcome === 'held')
    throw new Error(
      `process ${result.by.pid} has not finished preparing ${name}; stop that process, then try again`,
    );
  try {
    if (await exists(folder)) return { folder, built: false };
    await removeLeftovers(buildings, name);
    const unfinished = join(buildings, `${name}.${randomUUID()}`);
    await mkdir(unfinished);
    try {
      await build(unfinished);
      await rename(unfinished, folder);
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
    return { folder, built: true };
  } finally {
    await result.lock.release();
  }
}

/** Removes the leftovers of interrupted builds of this entry. No other process works on them while we hold the lock. */
async function removeLeftovers(buildings: string, name: string): Promise<void> {
  for (const found of await readdir(buildings, { withFileTypes: true })) {
    if (!found.isDirectory() || !found.name.startsWith(`${name}.`)) continue;
    // Leftovers that cannot be removed do no harm, because each build has its own folder.
    await rm(join(buildings, found.name), { recursive: true, force: true }).catch(() => {});
  }
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
