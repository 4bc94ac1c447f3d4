import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { identify } from '@chairside/processes/identity';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockRun } from './lock.ts';

let folder: string;
let file: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-'));
  file = join(folder, 'patients.csv');
  path = `${file}.chairside-lock`;
});
afterEach(() => rm(folder, { recursive: true }));

const computer = hostname();
const takesOver = async (): Promise<void> => {
  const unlock = await lockRun(file);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid, computer });
  unlock();
  expect(existsSync(path)).toBe(false);
};

test('refuses a second run, and names the process and the computer', async () => {
  const unlock = await lockRun(file);
  await expect(lockRun(file)).rejects.toThrow(
    `another run with this file is in progress, as process ${process.pid} on ${computer}.`,
  );
  unlock();
  await takesOver();
});

test('takes over from a process that has ended and is not reaped', async () => {
  // The shell ends, and its parent, which does not wait for it, leaves a zombie.
  const parent = spawn('sh', ['-c', 'sh -c "read -r _" <&3 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  const [pid] = await once(parent.stdout as NodeJS.ReadableStream, 'data');
  const holder = await identify(Number(pid));
  await writeFile(path, JSON.stringify({ ...holder, computer }));
  await expect(lockRun(file)).rejects.toThrow('in progress');
  (parent.stdio[3] as unknown as NodeJS.WritableStream).end();
  await expect.poll(() => readFileSync(`/proc/${Number(pid)}/stat`, 'utf8')).toMatch(/\) Z /);
  await takesOver();
  parent.kill('SIGKILL');
});

test.each([
  [
    'whose pid another program has now',
    () => JSON.stringify({ pid: process.pid, birth: 'another', computer }),
  ],
  ['whose pid no program has', () => JSON.stringify({ pid: 2 ** 22 + 1, birth: 'x', computer })],
  ['without content', () => ''],
  ['with half of its content', () => '{"pid":'],
])('takes over a lock %s', async (_what, contentOf) => {
  await writeFile(path, contentOf());
  await takesOver();
});

test('refuses a run while one of another computer renews its lock, and takes over a minute later', async () => {
  await writeFile(path, JSON.stringify({ ...(await identify(process.pid)), computer: 'other' }));
  await expect(lockRun(file)).rejects.toThrow(`as process ${process.pid} on other.`);
  const before = new Date(Date.now() - 61_000);
  await utimes(path, before, before);
  await takesOver();
});
