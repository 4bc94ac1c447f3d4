import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findOnPath } from './path-search.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'path-'));
});
afterEach(() => rm(root, { recursive: true }));

async function program(path: string, mode = 0o755): Promise<string> {
  const full = join(root, path);
  await mkdir(join(full, '..'), { recursive: true });
  await writeFile(full, '');
  await chmod(full, mode);
  return full;
}

it('prefers the first name, and for each name the first directory', async () => {
  await program('one/redis-server');
  await program('two/valkey-server');
  const preferred = await program('one/valkey-server');
  const PATH = `${join(root, 'one')}:${join(root, 'two')}`;
  expect(await findOnPath(['valkey-server', 'redis-server'], { PATH })).toBe(preferred);
});

it('finds nothing on an empty path', async () => {
  expect(await findOnPath(['sh'], {})).toBeUndefined();
  expect(await findOnPath(['sh'], { PATH: root })).toBeUndefined();
});
