import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { binaryVersion, OLDEST_MONGODB } from '../binary-version.ts';
import { cacheEntry } from '../cache-entry.ts';
import { CommandFailure, run } from '../command.ts';
import { mongodPlan } from '../mongod-plan.ts';
import { machineProblem, reasonOf } from '../problem.ts';
import { programPath } from '../program-path.ts';
import { rememberedRefusal, rememberRefusal } from '../refusal.ts';
import { type Finding, type Search, type Source, unavailable } from './source.ts';

const ENTRY = `mongod-${process.platform}-${process.arch}`;
const FIRST_BYTES_WITHIN_MS = 6_000;
const NO_ANSWER = `no byte came within ${FIRST_BYTES_WITHIN_MS / 1000} s`;

/** The mongod of MongoDB, Inc. for this system, which mongodb-memory-server knows how to find. */
export const downloadedMongodb: Source = { name: 'download of mongod', find };

async function find(search: Search): Promise<Finding> {
  const { cacheDirectory } = search;
  const refusal = await rememberedRefusal(cacheDirectory, ENTRY, new Date());
  if (refusal !== undefined) {
    const when = refusal.at.toISOString().slice(0, 16);
    return unavailable(`${refusal.reason} (at ${when}; tried again after a day, or without ${refusal.path})`);
  }
  try {
    const { folder, built } = await cacheEntry(ENTRY, search, (unfinished) => download(unfinished, search));
    const binary = join(folder, 'mongod');
    const version = await binaryVersion(binary, OLDEST_MONGODB, search);
    const description = `MongoDB ${version} (${built ? 'downloaded' : 'cached'})`;
    return { outcome: 'found', plan: mongodPlan({ binary, environment: search.environment, description }) };
  } catch (error) {
    search.signal.throwIfAborted();
    const problem = machineProblem(error);
    if (problem !== undefined) throw problem;
    const reason = reasonOf(error);
    await rememberRefusal(cacheDirectory, ENTRY, reason, new Date());
    return unavailable(reason);
  }
}

async function download(folder: string, search: Search): Promise<void> {
  search.onProgress('Downloading MongoDB (about 100 MB)');
  const output = await fetchBinary(folder, search);
  await rename(output.trim().split('\n').at(-1) ?? '', join(folder, 'mongod'));
  // Run before it is kept: what is cached works on this machine.
  await binaryVersion(join(folder, 'mongod'), OLDEST_MONGODB, search);
}

/** The output of the download, whose last line is the path of mongod. */
async function fetchBinary(folder: string, search: Search): Promise<string> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error(NO_ANSWER)), FIRST_BYTES_WITHIN_MS);
  try {
    return await run(process.execPath, [programPath('mongod-download-process')], {
      signal: AbortSignal.any([search.signal, silence.signal]),
      environment: {
        ...search.environment,
        MONGOMS_DOWNLOAD_DIR: folder,
        // One attempt: there is another source, and the user is waiting.
        MONGOMS_MAX_RETRIES: '1',
        // Only with this is the certificate of the server checked; the checksum comes from that server too.
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
