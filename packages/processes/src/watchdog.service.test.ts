import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claim, identify, killAtExit, nodeArguments } from './index.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'claimed-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Starts another process that claims the directory and runs a server on it. */
async function startOwner(mode: 'keep' | 'throw-away') {
  const program = nodeArguments(new URL('../test/owner.ts', import.meta.url).href, 'owner');
  const child = killAtExit(
    spawn(process.execPath, [...program, directory, mode], { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, server: Number(line) };
}

describe('when the owner of a directory is killed', () => {
  it.each(['keep', 'throw-away'] as const)('its watchdog stops the server in mode %s', async (mode) => {
    const { child, server } = await startOwner(mode);
    expect(await identify(server)).toBeDefined();
    await expect(claim(directory, { waitMs: 0 })).rejects.toMatchObject({
      name: 'DirectoryInUse',
      pid: child.pid,
    });
    child.kill('SIGKILL');
    await expect.poll(() => identify(server)).toBeUndefined();
    const left = async () => readdir(directory).catch(() => 'removed');
    await expect.poll(left).toEqual(mode === 'keep' ? ['server.log'] : 'removed');
  });
});
