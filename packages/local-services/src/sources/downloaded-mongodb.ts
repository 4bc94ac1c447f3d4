import { constants, copyFile, rename } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { CommandFailure, nodeArguments, run } from '@chairside/processes';
import { binaryVersion, OLDEST_MONGODB } from '../binary-version.ts';
import { cacheEntry } from '../cache-entry.ts';
import { debianRelease } from '../debian-release.ts';
import { mongodPlan } from '../mongod-plan.ts';
import { unlessRefused } from '../refusal.ts';
import { type Finding, type Search, type Source, unavailable } from './source.ts';

const ENTRY = `mongod-${process.platform}-${process.arch}`;
const FIRST_BYTES_WITHIN_MS = 6_000;
const NO_RESPONSE = `no data arrived within ${FIRST_BYTES_WITHIN_MS / 1000} s`;

/** MongoDB's own build of mongod for this system. mongodb-memory-server determines and downloads the build. */
export const downloadedMongodb: Source = { name: 'download of mongod', find };

/** Settings of mongodb-memory-server that select a build other than the one for this system. */
const OTHER_BUILD = ['MONGOMS_DOWNLOAD_URL', 'MONGOMS_ARCHIVE_NAME', 'MONGOMS_SYSTEM_BINARY'];

/** Returns why there is no download for this machine; undefined if there may be one. */
export async function whyNoBuild(
  environment: NodeJS.ProcessEnv,
  machine: { arch: string; root?: string } = process,
): Promise<string | undefined> {
  if (OTHER_BUILD.some((name) => environment[name])) return undefined;
  if (machine.arch !== 'arm64' || (await debianRelease(machine.root)) === undefined) return undefined;
  return 'MongoDB has no build for Debian on arm64; use its Docker image';
}

async function find(search: Search): Promise<Finding> {
  const { environment } = search;
  const noBuild = await whyNoBuild(environment);
  if (noBuild !== undefined) return unavailable(noBuild);
  return unlessRefused(ENTRY, search, async () => {
    const { folder, built } = await cacheEntry(ENTRY, search, (unfinished) => download(unfinished, search));
    const binary = join(folder, 'mongod');
    const version = await binaryVersion(binary, OLDEST_MONGODB, search);
    const description = `MongoDB ${version} (${built ? 'downloaded' : 'cached'})`;
    return { outcome: 'found', plan: mongodPlan({ binary, environment, description }) };
  });
}

async function download(folder: string, search: Search): Promise<void> {
  search.onProgress('Downloading MongoDB (about 100 MB)');
  const output = await fetchBinary(folder, search);
  const found = output.trim().split('\n').at(-1) ?? '';
  const binary = join(folder, 'mongod');
  // mongodb-memory-server may have found an existing mongod of another program or of the system. Such a program is not
  // moved.
  if (isWithin(folder, found)) await rename(found, binary);
  else await copyFile(found, binary, constants.COPYFILE_FICLONE);
  // The program is tested before it is cached, so that a cached program works on this machine.
  await binaryVersion(binary, OLDEST_MONGODB, search);
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
}

/** Downloads mongod and returns the output of the download, whose last line is the path of mongod. */
async function fetchBinary(folder: string, search: Search): Promise<string> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error(NO_RESPONSE)), FIRST_BYTES_WITHIN_MS);
  try {
    return await run(process.execPath, nodeArguments(import.meta.url, 'mongod-download-process'), {
      signal: AbortSignal.any([search.signal, silence.signal]),
      environment: {
        ...search.environment,
        MONGOMS_DOWNLOAD_DIR: folder,
        // Only one attempt is made, because there is another source and the user is waiting.
        MONGOMS_MAX_RETRIES: '1',
        // The server's certificate is checked only with this setting. The checksum comes from the same server.
        npm_config_strict_ssl: 'true',
      },
      onLine: (line) => {
        if (!line.startsWith('Downloading')) return;
        clearTimeout(timer);
        search.onProgress(line.trim());
      },
    });
  } catch (error) {
    if (error instanceof CommandFailure) throw new Error(error.lastLines.join('; '), { cause: error });
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
