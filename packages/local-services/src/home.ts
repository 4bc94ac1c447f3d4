import { randomUUID } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { discard, isHeld, type ServerProcess, startWatchdog } from '@chairside/processes';
import { claimData } from './data-directory.ts';
import type { Keeping } from './engine.ts';
import type { Search } from './sources/source.ts';

/** A data directory that belongs to this process until it is closed. If the process crashes, a watchdog cleans up. */
export type Home = {
  directory: string;
  /** False if the directory is deleted when it is closed. */
  durable: boolean;
  /** Replaces the list of servers to stop if this process crashes. */
  record(servers: readonly ServerProcess[]): Promise<void>;
  close(): Promise<void>;
};

/** How long to wait for the previous owner to stop. An orderly stop takes at most this long. */
const WAIT_FOR_OWNER_MS = 6_000;

/** @throws {LocalServicesError} `DATA_IN_USE` */
export function openHome(keeping: Keeping, search: Search): Promise<Home> {
  return keeping.ephemeral ? openTemporary(search) : openDurable(resolve(keeping.dataDirectory), search);
}

async function openDurable(directory: string, { signal, onProgress }: Search): Promise<Home> {
  const { record, release } = await claimData(directory, {
    waitMs: WAIT_FOR_OWNER_MS,
    signal,
    onWait: (pid) => onProgress(`Waiting for process ${pid} to release ${directory}`),
  });
  const watchdog = startWatchdog(directory, 'keep');
  const close = async () => {
    await release();
    watchdog.end();
  };
  return { directory, durable: true, record, close };
}

/** The directory is created in the cache, so that a cached engine can be hard-linked into it instead of copied. */
async function openTemporary({ cacheDirectory }: Search): Promise<Home> {
  const all = join(cacheDirectory, 'ephemeral');
  await mkdir(all, { recursive: true });
  await sweep(all);
  const directory = join(all, randomUUID());
  const { record } = await claimData(directory, { waitMs: 0 });
  const watchdog = startWatchdog(directory, 'throw-away');
  const close = async () => {
    await discard(directory);
    watchdog.end();
  };
  return { directory, durable: false, record, close };
}

/** Removes directories whose owner is dead. A power failure, for example, also ends the watchdog. */
async function sweep(all: string): Promise<void> {
  for (const name of await readdir(all)) {
    const directory = join(all, name);
    // A directory without a lock is being created or removed by another process.
    if ((await isHeld(join(directory, 'lock'))) !== false) continue;
    try {
      await claimData(directory, { waitMs: 0 });
      await discard(directory);
    } catch {
      // The watchdog of the directory or another start is already removing it.
    }
  }
}
