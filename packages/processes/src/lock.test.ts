import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isHeld, takeLock } from './lock.ts';
import { identify } from './process-identity.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lock-'));
  path = join(folder, 'lock');
});
afterEach(() => rm(folder, { recursive: true }));

const atOnce = { waitMs: 0 };

describe('takeLock', () => {
  it('grants the lock to only one of many concurrent callers', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => takeLock(path, atOnce)));
    const locked = results.filter(({ outcome }) => outcome === 'locked');
    expect(locked).toHaveLength(1);
    expect(results).toContainEqual({ outcome: 'held', by: await identify(process.pid) });
  });

  it('grants the lock again after its release, and leaves no other file', async () => {
    const first = await takeLock(path, atOnce);
    if (first.outcome === 'locked') await first.lock.release();
    expect(await isHeld(path)).toBeUndefined();
    expect(await takeLock(path, atOnce)).toMatchObject({ outcome: 'locked' });
    expect(await readdir(folder)).toEqual(['lock']);
  });

  it('waits for the holder to release the lock, and reports the pid of the holder', async () => {
    const first = await takeLock(path, atOnce);
    const waitedFor: number[] = [];
    const second = await takeLock(path, {
      waitMs: 10_000,
      onWait: (pid) => {
        waitedFor.push(pid);
        if (first.outcome === 'locked') void first.lock.release();
      },
    });
    expect(second.outcome).toBe('locked');
    expect(waitedFor).toEqual([process.pid]);
  });

  it('takes over from a process that has died', async () => {
    const child = spawn('sh', ['-c', 'read -r _']);
    await once(child, 'spawn');
    await writeFile(path, JSON.stringify(await identify(child.pid ?? 0)));
    expect(await takeLock(path, atOnce)).toMatchObject({ outcome: 'held', by: { pid: child.pid } });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await isHeld(path)).toBe(false);
    expect(await takeLock(path, atOnce)).toMatchObject({ outcome: 'locked' });
  });

  it('takes over from a holder whose pid now belongs to another process', async () => {
    await writeFile(path, JSON.stringify({ pid: process.pid, birth: 'another boot' }));
    expect(await takeLock(path, atOnce)).toMatchObject({ outcome: 'locked' });
  });
});
