import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { downloadPackage } from './apt.ts';
import { binaryVersion, OLDEST_PROMTOOL } from './binary-version.ts';
import { cacheDirectoryFrom } from './cache-directory.ts';
import { cacheEntry } from './cache-entry.ts';
import type { EngineOptions } from './engine.ts';
import { findOnPath } from './path-search.ts';
import { LocalServicesError } from './problem.ts';
import { chooseSource, type Tried } from './sources/choose-source.ts';
import { type Search, type Source, unavailable } from './sources/source.ts';

/** A promtool that a test can run. */
export type Promtool = {
  /** The path of the program. */
  binary: string;
  /** A description for people: version and origin. */
  description: string;
};

const promtoolOnPath: Source<Promtool> = {
  name: 'promtool on PATH',
  async find(search) {
    const binary = await findOnPath(['promtool'], search.environment);
    if (binary === undefined) return unavailable('not there');
    const version = await binaryVersion(binary, OLDEST_PROMTOOL, search);
    return { outcome: 'found', plan: { binary, description: `promtool ${version} (${binary})` } };
  },
};

/** The program from the package of Prometheus of Debian or Ubuntu; nothing is installed on the host. */
const debianPromtool: Source<Promtool> = {
  name: 'Debian package of Prometheus',
  async find(search) {
    if (process.platform !== 'linux') return unavailable('for Debian and Ubuntu only');
    const entry = `promtool-debian-${process.arch}`;
    const { folder, built } = await cacheEntry(entry, search, (unfinished) => fetchInto(unfinished, search));
    const binary = join(folder, 'promtool');
    const version = await binaryVersion(binary, OLDEST_PROMTOOL, search);
    const origin = `Debian package, ${built ? 'fetched' : 'cached'}`;
    return { outcome: 'found', plan: { binary, description: `promtool ${version} (${origin})` } };
  },
};

/** Only this program is kept: the server in the same package is as large. */
async function fetchInto(folder: string, search: Search): Promise<void> {
  search.onProgress('Fetching promtool from the archive of this system (about 20 MB)');
  const unpacked = join(folder, 'package');
  await mkdir(unpacked);
  await downloadPackage('prometheus', unpacked, search);
  const binary = join(folder, 'promtool');
  await copyFile(join(unpacked, 'usr/bin/promtool'), binary);
  await rm(unpacked, { recursive: true });
  // The program is tested before it is cached, so that a cached program works on this machine.
  await binaryVersion(binary, OLDEST_PROMTOOL, search);
}

const noPromtoolText = (tried: readonly Tried[]): string =>
  [
    'No promtool could be found or fetched. Tried, in this order:',
    ...tried.map(({ source, reason }) => `  - ${source}: ${reason}`),
    'The simplest solution: install Prometheus, and put promtool on PATH.',
  ].join('\n');

/**
 * Finds promtool, which tests alert rules: on `PATH`, or in the package of Debian, unpacked into the cache.
 *
 * @throws {LocalServicesError} if no source provides one that runs
 */
export async function findPromtool({
  environment = process.env,
  cacheDirectory = cacheDirectoryFrom(environment),
  onProgress = () => {},
  signal = new AbortController().signal,
}: Omit<EngineOptions, 'dataDirectory' | 'ephemeral'> = {}): Promise<Promtool> {
  const search: Search = { cacheDirectory: resolve(cacheDirectory), environment, onProgress, signal };
  const choice = await chooseSource([promtoolOnPath, debianPromtool], search, async (running) => ({
    outcome: 'running',
    running,
  }));
  if (choice.outcome === 'running') return choice.running;
  throw new LocalServicesError('NO_ENGINE', noPromtoolText(choice.outcome === 'none' ? choice.tried : []));
}
