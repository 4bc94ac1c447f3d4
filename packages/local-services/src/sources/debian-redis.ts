import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { aptGet, packagesMissingFor } from '../apt.ts';
import { cacheEntry } from '../cache-entry.ts';
import { run } from '../command.ts';
import { reasonOf } from '../problem.ts';
import { redisPlan } from '../redis-plan.ts';
import { redisBinaryVersion } from '../redis-version.ts';
import { type Finding, type Search, unavailable } from './source.ts';

/** The packages of Debian or Ubuntu, unpacked into the cache; nothing is installed on the host. */
export async function debianRedis(search: Search): Promise<Finding> {
  if (process.platform !== 'linux') return unavailable('Debian packages of Redis are for Linux only');
  try {
    const name = `redis-debian-${process.arch}`;
    const { folder, built } = await cacheEntry(name, search, (unfinished) => unpack(unfinished, search));
    const binary = join(folder, 'usr/bin/redis-server');
    const environment = await withLibraries(folder, search.environment);
    const version = await redisBinaryVersion(binary, environment, search.signal);
    const description = `Redis ${version} (Debian package, ${built ? 'fetched' : 'cached'})`;
    return { outcome: 'found', plan: redisPlan({ binary, environment, description }) };
  } catch (error) {
    search.signal.throwIfAborted();
    return unavailable(`the Debian packages of Redis could not be used (${reasonOf(error)})`);
  }
}

async function unpack(folder: string, search: Search): Promise<void> {
  search.onProgress('Fetching Redis from the Debian archive (about 2 MB)');
  // The server alone is a link to a file of the tools: both are needed even where the host has the tools.
  const packages = new Set([
    'redis-server',
    'redis-tools',
    ...(await packagesMissingFor('redis-server', search)),
  ]);
  await aptGet(['download', ...packages], search, folder);
  for (const file of await readdir(folder)) {
    if (file.endsWith('.deb'))
      await run('dpkg-deb', ['-x', file, '.'], { signal: search.signal, cwd: folder });
  }
  // Run before it is kept: a cached Redis is one that worked on this machine.
  const environment = await withLibraries(folder, search.environment);
  await redisBinaryVersion(join(folder, 'usr/bin/redis-server'), environment, search.signal);
}

/** Debian keeps libraries in a folder for the kind of machine, such as usr/lib/x86_64-linux-gnu. */
async function withLibraries(folder: string, environment: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  const found: string[] = [];
  for (const parent of ['usr/lib', 'lib']) {
    const entries = await readdir(join(folder, parent), { withFileTypes: true }).catch(() => []);
    found.push(
      ...entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, parent, entry.name)),
    );
  }
  return { ...environment, LD_LIBRARY_PATH: found.join(':') };
}
