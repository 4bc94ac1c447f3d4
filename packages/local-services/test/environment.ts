import { mkdtemp, readdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheDirectoryFrom } from '../src/cache-directory.ts';

/** The environment without the variables that select existing engines, because a test must start its own. */
export function withoutGivenEngines(): NodeJS.ProcessEnv {
  const { MONGODB_URL, MONGODB_BINARY, REDIS_URL, REDIS_BINARY, ...rest } = process.env;
  return rest;
}

/** A separate cache with links to the engines in the user's cache. */
export async function borrowingCache(): Promise<string> {
  const own = await mkdtemp(join(tmpdir(), 'cache-'));
  const real = cacheDirectoryFrom(process.env);
  for (const name of await readdir(real)) {
    if (name === 'building' || name === 'ephemeral') continue;
    await symlink(join(real, name), join(own, name));
  }
  return own;
}

/** Returns the temporary data directories in a cache. */
export async function temporaryDirectories(cacheDirectory: string): Promise<string[]> {
  return readdir(join(cacheDirectory, 'ephemeral'));
}
