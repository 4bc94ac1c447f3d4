import { chmod, chown, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@chairside/processes';
import type { Search } from '../sources/source.ts';
import { buildGateway } from './gateway.ts';
import { inside, type Runtime, SERVER_ID } from './plan.ts';
import { SETTINGS, settingFlags } from './postgres-settings.ts';
import { bootstrapTree, documentdbVersion, extractNeeded, POSTGRES_PROGRAMS } from './postgres-tree.ts';

/** Part of the cache entry's name. Increase it when the build changes. */
export const RECIPE = 3;

export function runtimeIn(folder: string): Runtime {
  return { engine: join(folder, 'engine'), data: join(folder, 'data') };
}

/** The version of DocumentDB that this runtime was built with. */
export async function storageVersion(folder: string): Promise<string> {
  return (await readFile(join(folder, 'documentdb-version'), 'utf8')).trim();
}

/**
 * Builds the runtime in the empty folder, from a Debian archive and Go modules. On 2 cores, this takes half a minute to
 * a minute.
 */
export async function buildRuntime(folder: string, mirror: string, search: Search): Promise<void> {
  const tree = join(folder, 'tree');
  const program = join(folder, 'program');
  const { engine, data } = runtimeIn(folder);
  await together(search, (both) => [buildGateway(program, both), bootstrapTree(tree, mirror, both)]);
  await writeFile(join(folder, 'documentdb-version'), await documentdbVersion(tree));
  await extractNeeded(tree, engine, search);
  await rename(join(program, 'ferretdb'), join(engine, 'usr/bin/ferretdb'));
  await prepareFolders(engine);
  await initialise(engine, data, search);
  await Promise.all([tree, program].map((part) => rm(part, { recursive: true })));
}

/** Runs tasks concurrently. If one fails, the others are aborted, and the error is thrown after they have ended. */
async function together(search: Search, begin: (search: Search) => Promise<void>[]): Promise<void> {
  const ending = new AbortController();
  const parts = begin({ ...search, signal: AbortSignal.any([search.signal, ending.signal]) });
  try {
    await Promise.all(parts);
  } catch (error) {
    ending.abort();
    await Promise.allSettled(parts);
    throw error;
  }
}

async function prepareFolders(engine: string): Promise<void> {
  for (const name of ['run', 'tmp', 'dev/shm']) {
    await mkdir(join(engine, name), { recursive: true });
    await chown(join(engine, name), SERVER_ID, SERVER_ID);
  }
  await mkdir(join(engine, 'etc'));
  await writeFile(join(engine, 'etc/passwd'), `postgres:x:${SERVER_ID}:${SERVER_ID}::/:/bin/sh\n`);
  // FerretDB reads the path of its program for serverStatus from /proc, which does not exist here.
  await mkdir(join(engine, 'proc/self'), { recursive: true });
  await symlink('/usr/bin/ferretdb', join(engine, 'proc/self/exe'));
  // initdb redirects output to /dev/null. An ordinary file is used, because creating a device requires a privilege that
  // containers do not have.
  await writeFile(join(engine, 'dev/null'), '');
  await chmod(join(engine, 'dev/null'), 0o666);
}

async function initialise(engine: string, data: string, search: Search): Promise<void> {
  search.onProgress('Initializing the database');
  const inEngine = join(engine, 'data');
  await mkdir(inEngine, { mode: 0o700 });
  await chown(inEngine, SERVER_ID, SERVER_ID);
  const runInside = (program: string, args: string[], input = '') => {
    const line = inside(engine, [`${POSTGRES_PROGRAMS}/${program}`, ...args]);
    return run(line.command, line.arguments, { signal: search.signal, environment: line.environment, input });
  };
  // The log segments are small, because they are most of the data that is copied into a new data folder.
  await runInside('initdb', ['-D', '/data', '-A', 'trust', '-U', 'postgres', '--wal-segsize=4']);
  const single = ['--single', '-D', '/data', ...settingFlags(SETTINGS), 'postgres'];
  await runInside('postgres', single, 'CREATE EXTENSION documentdb CASCADE;\n');
  await rename(inEngine, data);
  await rm(join(engine, 'dev/null'));
}
