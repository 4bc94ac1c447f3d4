import { cacheEntry } from '../cache-entry.ts';
import { debianMirror } from '../ferretdb/debian-mirror.ts';
import { FERRETDB_VERSION, whyNoGo } from '../ferretdb/gateway.ts';
import { ferretdbPlan } from '../ferretdb/plan.ts';
import { buildRuntime, runtimeIn, storageVersion } from '../ferretdb/runtime.ts';
import { reasonOf } from '../problem.ts';
import { type Finding, type Search, unavailable } from './source.ts';

/** FerretDB, which speaks the protocol of MongoDB, over PostgreSQL with the DocumentDB extension. */
export async function ferretdb(search: Search): Promise<Finding> {
  const name = `FerretDB ${FERRETDB_VERSION}`;
  if (process.platform !== 'linux') return unavailable(`${name} is for Debian only`);
  if (process.getuid?.() !== 0) return unavailable(`${name} runs in a tree of its own, which takes root`);
  try {
    const entry = `ferretdb-${FERRETDB_VERSION}-${process.arch}`;
    const { folder, built } = await cacheEntry(entry, search, async (unfinished) => {
      await buildRuntime(unfinished, await neededMirror(search), search);
    });
    const origin = built ? 'built here' : 'cached';
    const description = `${name} over DocumentDB ${await storageVersion(folder)} (${origin})`;
    return { outcome: 'found', plan: ferretdbPlan(runtimeIn(folder), description) };
  } catch (error) {
    search.signal.throwIfAborted();
    return unavailable(`${name} cannot be built: ${reasonOf(error)}`);
  }
}

async function neededMirror(search: Search): Promise<string> {
  const mirror = await debianMirror();
  if (mirror === undefined)
    throw new Error('its database is fetched from a Debian archive, none is set up here');
  const noGo = await whyNoGo(search);
  if (noGo !== undefined) throw new Error(noGo);
  return mirror;
}
