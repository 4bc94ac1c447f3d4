import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { systemCode } from './problem.ts';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';

export type Lock = { release(): Promise<void> };
export type LockResult = { outcome: 'locked'; lock: Lock } | { outcome: 'held'; by: ProcessIdentity };

export type LockWait = {
  /** How long to wait for another process; 0 to ask once. */
  waitMs: number;
  signal?: AbortSignal;
  /** Called once, with the pid of the holder, when there is one. */
  onWait?: (pid: number) => void;
};

const POLL_MS = 50;

/**
 * Takes the lock file at `path`, or says which living process holds it. A lock whose holder has died is taken
 * over at once. When two take over the same dead lock, both can win in rare cases: what a lock guards must be
 * safe without it. Caches are filled by an atomic rename, and data is locked by its engine too.
 */
export async function takeLock(path: string, { waitMs, signal, onWait }: LockWait): Promise<LockResult> {
  const deadline = Date.now() + waitMs;
  let told = false;
  for (;;) {
    const result = await tryLock(path);
    if (result.outcome === 'locked' || Date.now() >= deadline) return result;
    if (!told) onWait?.(result.by.pid);
    told = true;
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
  if (self === undefined) throw new Error('this process is not in the list of processes');
  // Written in full beside, then linked: a lock file is never seen empty or half written.
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
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Undefined when there is no lock, or one that holds nothing readable. */
async function readHolder(path: string): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}

/** Removes a dead lock, but puts back what another process has placed there meanwhile. */
async function discard(path: string, dead: ProcessIdentity | undefined): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw error;
  }
  const removed = await readHolder(aside);
  if (removed?.pid !== dead?.pid || removed?.birth !== dead?.birth) await linked(aside, path);
  await rm(aside, { force: true });
}
