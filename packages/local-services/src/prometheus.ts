import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { downloadPackage } from './apt.ts';
import { binaryVersion, OLDEST_PROMETHEUS } from './binary-version.ts';
import { cacheDirectoryFrom } from './cache-directory.ts';
import { cacheEntry } from './cache-entry.ts';
import type { EngineOptions } from './engine.ts';
import { findOnPath } from './path-search.ts';
import { LocalServicesError } from './problem.ts';
import { chooseSource, type Tried } from './sources/choose-source.ts';
import { type Search, type Source, unavailable } from './sources/source.ts';

/** A program of Prometheus that a test can run: the server, or promtool, which tests alert rules. */
export type PrometheusProgram = {
  /** The path of the program. */
  binary: string;
  /** A description for people: version and origin. */
  description: string;
};

type Name = 'prometheus' | 'promtool';

const onPath = (name: Name): Source<PrometheusProgram> => ({
  name: `${name} on PATH`,
  async find(search) {
    const binary = await findOnPath([name], search.environment);
    if (binary === undefined) return unavailable('not there');
    const version = await binaryVersion(binary, OLDEST_PROMETHEUS, search);
    return { outcome: 'found', plan: { binary, description: `${name} ${version} (${binary})` } };
  },
});

/** The program from the package of Prometheus of Debian or Ubuntu; nothing is installed on the host. */
const ofDebian = (name: Name): Source<PrometheusProgram> => ({
  name: 'Debian package of Prometheus',
  async find(search) {
    if (process.platform !== 'linux') return unavailable('for Debian and Ubuntu only');
    const entry = `${name}-debian-${process.arch}`;
    const { folder, built } = await cacheEntry(entry, search, (into) => fetchInto(into, name, search));
    const binary = join(folder, name);
    const version = await binaryVersion(binary, OLDEST_PROMETHEUS, search);
    const origin = `Debian package, ${built ? 'fetched' : 'cached'}`;
    return { outcome: 'found', plan: { binary, description: `${name} ${version} (${origin})` } };
  },
});

/** Only this program is kept, because each is large. */
async function fetchInto(folder: string, name: Name, search: Search): Promise<void> {
  search.onProgress(`Fetching ${name} from the archive of this system (about 20 MB)`);
  const unpacked = join(folder, 'package');
  await mkdir(unpacked);
  await downloadPackage('prometheus', unpacked, search);
  const binary = join(folder, name);
  await copyFile(join(unpacked, 'usr/bin', name), binary);
  await rm(unpacked, { recursive: true });
  // The program is tested before it is cached, so that a cached program works on this machine.
  await binaryVersion(binary, OLDEST_PROMETHEUS, search);
}

const notFoundText = (name: Name, tried: readonly Tried[]): string =>
  [
    `No ${name} could be found or fetched. Tried, in this order:`,
    ...tried.map(({ source, reason }) => `  - ${source}: ${reason}`),
    `The simplest solution: install Prometheus, and put ${name} on PATH.`,
  ].join('\n');

/**
 * Finds a program of Prometheus: on `PATH`, or in the package of Debian, unpacked into the cache.
 *
 * @throws {LocalServicesError} if no source provides one that runs
 */
export async function findPrometheus(
  name: Name,
  {
    environment = process.env,
    cacheDirectory = cacheDirectoryFrom(environment),
    onProgress = () => {},
    signal = new AbortController().signal,
  }: Omit<EngineOptions, 'dataDirectory' | 'ephemeral'> = {},
): Promise<PrometheusProgram> {
  const search: Search = { cacheDirectory: resolve(cacheDirectory), environment, onProgress, signal };
  const choice = await chooseSource([onPath(name), ofDebian(name)], search, async (running) => ({
    outcome: 'running',
    running,
  }));
  if (choice.outcome === 'running') return choice.running;
  throw new LocalServicesError(
    'NO_ENGINE',
    notFoundText(name, choice.outcome === 'none' ? choice.tried : []),
  );
}
