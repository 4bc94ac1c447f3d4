import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';

export type Lock = { release(): Promise<void> };
export type LockResult = { outcome: 'locked'; lock: Lock } | { outcome: 'held'; by: ProcessIdentity };

export type LockWait = {
  /** How long to wait for another process to release the lock; 0 to try once. */
  waitMs: number;
  signal?: AbortSignal;
  /** Called once, with the pid of the holder, before the wait begins. */
  onWait?: (pid: number) => void;
};

const POLL_MS = 50;

/**
 * Takes the lock file at `path`, or returns the living process that holds it. A lock whose holder has died is
 * taken over at once. When two processes take over the same dead lock, both can get it in rare cases. So the
 * guarded operation must be safe without the lock: a cache is filled by an atomic rename, and a database engine
 * locks its own data too.
 */
export async function takeLock(path: string, { waitMs, signal, onWait }: LockWait): Promise<LockResult> {
  const deadline = Date.now() + waitMs;
  let isWaiting = false;
  for (;;) {
    const result = await tryLock(path);
    if (result.outcome === 'locked' || Date.now() >= deadline) return result;
    if (!isWaiting) onWait?.(result.by.pid);
    isWaiting = true;
    await delay(POLL_MS, undefined, signal === undefined ? {} : { signal });
  }
}

/** Whether there is a lock at `path` whose holder is alive; undefined when there is no lock. */
export async function isHeld(path: string): Promise<boolean | undefined> {
  const holder = await readHolder(path);
  return holder === undefined ? undefined : isAlive(holder);
}

async function tryLock(path: string): Promise<LockResult> {
  const self = await identify(process.pid);
  if (self === undefined) throw new Error('this process is not in the process list');
  // The file is written completely under another name and then linked, so that no reader sees an incomplete lock file.
  const own = `${path}.${randomUUID()}`;
  await writeFile(own, JSON.stringify(self));
  try {
    for (;;) {
      if (await linked(own, path))
        return { outcome: 'locked', lock: { release: () => rm(path, { force: true }) } };
      const holder = await readHolder(path);
      if (holder !== undefined && (await isAlive(holder))) return { outcome: 'held', by: holder };
      await discard(path, holder);
    }
  } finally {
    await rm(own, { force: true });
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Returns undefined when there is no lock, or when the lock file cannot be parsed. */
async function readHolder(path: string): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}

/** Removes a dead lock, but puts back a lock that another process has placed there in the meantime. */
async function discard(path: string, dead: ProcessIdentity | undefined): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const removed = await readHolder(aside);
  if (removed?.pid !== dead?.pid || removed?.birth !== dead?.birth) await linked(aside, path);
  await rm(aside, { force: true });
}
