import { run } from '@chairside/processes';
import type { Search } from '../sources/source.ts';
import { isAtLeast, versionIn } from '../version.ts';

export const FERRETDB_VERSION = '2.7.0';
const OLDEST_GO = '1.25.5';

/** Returns why the gateway cannot be built here; undefined if it can. */
export async function whyNoGo(search: Search): Promise<string | undefined> {
  try {
    const text = await run('go', ['version'], { signal: search.signal, environment: search.environment });
    const version = versionIn(text);
    if (version !== undefined && isAtLeast(version, OLDEST_GO)) return undefined;
    return `building it requires Go ${OLDEST_GO} or later, but this is ${version ?? text}`;
  } catch {
    search.signal.throwIfAborted();
    return `building it requires Go ${OLDEST_GO} or later, which is not on PATH`;
  }
}

/** Builds the program `ferretdb` into the folder. */
export async function buildGateway(folder: string, search: Search): Promise<void> {
  search.onProgress(`Building FerretDB ${FERRETDB_VERSION} with Go (about a minute)`);
  // Without cgo, the build needs no C compiler, and the program runs in a tree with another C library.
  const environment = { ...search.environment, GOBIN: folder, CGO_ENABLED: '0' };
  const program = `github.com/FerretDB/FerretDB/v2/cmd/ferretdb@v${FERRETDB_VERSION}`;
  await run('go', ['install', program], { signal: search.signal, environment, timeoutMs: 10 * 60_000 });
  search.onProgress(`FerretDB ${FERRETDB_VERSION} is built`);
}
