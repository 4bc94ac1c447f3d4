import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { systemCode } from './problem.ts';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';

export type Lock = { release(): Promise<void> };

/**
 * Takes the lock file at `path`, or says which living process holds it. A lock whose holder has died is
 * taken over at once. In a race of two takers over a dead lock both could win in rare cases, so what a lock
 * guards must be safe without it: caches are filled by an atomic rename, data is guarded by its engine too.
 */
export async function tryLock(path: string): Promise<Lock | { heldBy: ProcessIdentity }> {
  const self = await identify(process.pid);
  if (self === undefined) throw new Error('this process cannot be found in the list of processes');
  // Written in full beside, then linked: a lock file is never seen empty or half written.
  const own = `${path}.${randomUUID()}`;
  await writeFile(own, JSON.stringify(self));
  try {
    for (;;) {
      if (await linked(own, path)) return { release: () => rm(path, { force: true }) };
      const holder = await readHolder(path);
      if (holder !== undefined && (await isAlive(holder))) return { heldBy: holder };
      await discard(path, holder);
    }
  } finally {
    await rm(own, { force: true });
  }
}

/** Waits for the lock; `onWait` is called once if another process has it. */
export async function lock(
  path: string,
  signal: AbortSignal,
  onWait: (holder: number) => void,
): Promise<Lock> {
  let told = false;
  for (;;) {
    const result = await tryLock(path);
    if ('release' in result) return result;
    if (!told) onWait(result.heldBy.pid);
    told = true;
    await delay(100, undefined, { signal });
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

/** Undefined when the lock went away meanwhile, or holds nothing readable. */
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
