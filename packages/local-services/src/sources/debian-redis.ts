import { join } from 'node:path';
import { libraryFolders, unpackPackages } from '../apt.ts';
import { binaryVersion, OLDEST_REDIS } from '../binary-version.ts';
import { cacheEntry } from '../cache-entry.ts';
import { redisPlan } from '../redis-plan.ts';
import { type Finding, type Search, type Source, unavailable } from './source.ts';

/** The packages of Debian or Ubuntu, unpacked into the cache; nothing is installed on the host. */
export const debianRedis: Source = { name: 'Debian package of Redis', find };

async function find(search: Search): Promise<Finding> {
  if (process.platform !== 'linux') return unavailable('for Debian and Ubuntu only');
  const name = `redis-debian-${process.arch}`;
  const { folder, built } = await cacheEntry(name, search, (unfinished) => unpack(unfinished, search));
  const program = await programIn(folder, search.environment);
  const version = await binaryVersion(program.binary, OLDEST_REDIS, { ...search, ...program });
  const description = `Redis ${version} (Debian package, ${built ? 'fetched' : 'cached'})`;
  return { outcome: 'found', plan: redisPlan({ ...program, description }) };
}

async function unpack(folder: string, search: Search): Promise<void> {
  search.onProgress('Fetching Redis from the archive of this system (about 2 MB)');
  // The server's program is a link to a file of the package with the tools, so both packages are needed, even if the
  // host has the tools.
  await unpackPackages('redis-server', ['redis-tools'], folder, search);
  // The program is tested before it is cached, so that a cached program works on this machine.
  const program = await programIn(folder, search.environment);
  await binaryVersion(program.binary, OLDEST_REDIS, { ...search, ...program });
}

async function programIn(folder: string, environment: NodeJS.ProcessEnv) {
  return {
    binary: join(folder, 'usr/bin/redis-server'),
    environment: { ...environment, LD_LIBRARY_PATH: (await libraryFolders(folder)).join(':') },
  };
}
