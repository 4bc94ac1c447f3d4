import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type CommandFailure, run } from '@chairside/processes';
import type { Search } from './sources/source.ts';

/** Options that shorten the timeouts of apt. By default, apt waits minutes for an archive that does not respond. */
const IMPATIENT = [
  '-o',
  'Acquire::Retries=1',
  '-o',
  'Acquire::http::Timeout=10',
  '-o',
  'Acquire::https::Timeout=10',
];

/** Runs apt-get without prompts and returns its standard output. @throws {CommandFailure} if it fails */
export function aptGet(args: string[], search: Search, cwd?: string): Promise<string> {
  return run('apt-get', ['--quiet', '--yes', ...IMPATIENT, ...args], {
    signal: search.signal,
    environment: { ...search.environment, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
    ...(cwd === undefined ? {} : { cwd }),
  });
}

/**
 * Calls a function that needs the package lists. If they lack a package, they are refreshed, which requires root, and the
 * function is called again.
 */
async function withPackageLists<T>(ask: () => Promise<T>, search: Search): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!isUnknownPackage(error)) throw error;
    search.onProgress('Refreshing the package lists (apt-get update)');
    await aptGet(['update'], search);
    return ask();
  }
}

/** Returns the packages that an installation of `name` would add to this host, including `name`. */
async function packagesMissingFor(name: string, search: Search): Promise<string[]> {
  const simulate = () => aptGet(['install', '--simulate', '--no-install-recommends', name], search);
  return packagesToInstall(await withPackageLists(simulate, search));
}

async function unpackAll(folder: string, search: Search): Promise<void> {
  for (const file of await readdir(folder)) {
    if (!file.endsWith('.deb')) continue;
    await run('dpkg-deb', ['-x', file, '.'], { signal: search.signal, cwd: folder });
    await rm(join(folder, file));
  }
}

/** Unpacks one package of Debian or Ubuntu into a folder, without what it depends on. Nothing is installed on the host. */
export async function downloadPackage(name: string, folder: string, search: Search): Promise<void> {
  await withPackageLists(() => aptGet(['download', name], search, folder), search);
  await unpackAll(folder, search);
}

/**
 * Unpacks packages of Debian or Ubuntu into a folder, together with the dependencies of `main` that this host lacks.
 * Nothing is installed on the host.
 *
 * @param main the package whose missing dependencies are unpacked too
 * @param more packages that are always unpacked
 */
export async function unpackPackages(
  main: string,
  more: readonly string[],
  folder: string,
  search: Search,
): Promise<void> {
  const packages = new Set([main, ...more, ...(await packagesMissingFor(main, search))]);
  await aptGet(['download', ...packages], search, folder);
  await unpackAll(folder, search);
}

/** The folders that may contain the libraries of an unpacked package, such as usr/lib/x86_64-linux-gnu. */
export async function libraryFolders(folder: string): Promise<string[]> {
  const libraries: string[] = [];
  for (const parent of [join(folder, 'usr/lib'), join(folder, 'lib')]) {
    const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
    libraries.push(
      ...entries.filter((entry) => entry.isDirectory()).map((entry) => join(parent, entry.name)),
    );
  }
  return libraries;
}

export function packagesToInstall(simulation: string): string[] {
  return [...simulation.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name ?? '');
}

function isUnknownPackage(error: unknown): error is CommandFailure {
  return error instanceof Error && /Unable to locate package|no installation candidate/.test(error.message);
}
