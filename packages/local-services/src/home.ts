import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { exists } from './cache-entry.ts';
import { claim } from './data-directory.ts';
import type { Keeping } from './engine.ts';
import type { ServerProcess } from './server-process.ts';

/** A data directory that is ours until it is closed. */
export type Home = {
  directory: string;
  /** False when the directory is thrown away as it is closed. */
  durable: boolean;
  record(servers: readonly ServerProcess[]): Promise<void>;
  close(): Promise<void>;
};

/** Throws `DATA_IN_USE`. Throw-away directories are in the cache, where engines can be hard-linked into them. */
export async function openHome(keeping: Keeping, cacheDirectory: string): Promise<Home> {
  if (!keeping.ephemeral) {
    const directory = resolve(keeping.dataDirectory);
    const { record, release } = await claim(directory);
    return { directory, durable: true, record, close: release };
  }
  const all = join(cacheDirectory, 'ephemeral');
  await mkdir(all, { recursive: true });
  await sweep(all);
  const directory = join(all, randomUUID());
  const { record } = await claim(directory);
  return { directory, durable: false, record, close: () => throwAway(directory) };
}

/** Throw-away directories whose owner died together with its watchdog, as when the machine was switched off. */
async function sweep(all: string): Promise<void> {
  for (const name of await readdir(all)) {
    const directory = join(all, name);
    // One that is not locked yet is just being made.
    if (!(await exists(join(directory, 'lock')))) continue;
    try {
      await claim(directory);
      await throwAway(directory);
    } catch {
      // In use, or being removed by its watchdog at this moment. The next start looks again.
    }
  }
}

function throwAway(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true, maxRetries: 5 });
}
