import type { Document } from 'mongodb';
import { cacheEntry } from '../cache-entry.ts';
import { writeToMongodb } from '../running-mongod.ts';
import { type Finding, type Search, type Source, unavailable } from '../sources/source.ts';
import { trialRun } from '../trial-run.ts';
import { debianMirror } from './debian-mirror.ts';
import { FERRETDB_VERSION, whyNoGo } from './gateway.ts';
import { ferretdbPlan } from './plan.ts';
import { buildRuntime, RECIPE, runtimeIn, storageVersion } from './runtime.ts';

const NAME = `FerretDB ${FERRETDB_VERSION}`;

/** FerretDB, which implements the protocol of MongoDB on PostgreSQL with the DocumentDB extension. */
export const ferretdb: Source = { name: NAME, find };

/** Returns the name of the server from its response to `buildInfo`; undefined if it is not FerretDB. */
export function ferretdbNamed(build: Document): string | undefined {
  // `version` is the version of MongoDB whose protocol the server implements.
  const own = build.ferretdb?.version;
  return own && `FerretDB ${String(own).replace(/^v/, '')}`;
}

async function find(search: Search): Promise<Finding> {
  if (process.platform !== 'linux') return unavailable('for Debian only');
  if (process.getuid?.() !== 0)
    return unavailable('requires root, because it runs in a system tree of its own');
  const entry = `ferretdb-${FERRETDB_VERSION}-${RECIPE}-${process.arch}`;
  const { folder, built } = await cacheEntry(entry, search, async (unfinished) => {
    await buildRuntime(unfinished, await mirrorForBuild(search), search);
    // The parts come from an archive whose content changes. The trial run ensures that the cached parts work together.
    await trialRun(ferretdbPlan(runtimeIn(unfinished), NAME), search, writeToMongodb);
  });
  const description = `${NAME} over DocumentDB ${await storageVersion(folder)} (${built ? 'built here' : 'cached'})`;
  return { outcome: 'found', plan: ferretdbPlan(runtimeIn(folder), description) };
}

async function mirrorForBuild(search: Search): Promise<string> {
  const mirror = await debianMirror();
  if (mirror === undefined)
    throw new Error(
      'FerretDB needs packages of a Debian archive; add one to the sources of apt on this system',
    );
  const noGo = await whyNoGo(search);
  if (noGo !== undefined) throw new Error(noGo);
  return mirror;
}
