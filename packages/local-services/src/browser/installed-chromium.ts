import { binaryVersion, OLDEST_CHROMIUM } from '../binary-version.ts';
import { findOnPath } from '../path-search.ts';
import { LocalServicesError, reasonOf } from '../problem.ts';
import { type Search, type Source, unavailable } from '../sources/source.ts';
import { type Browser, chromiumArguments } from './chromium.ts';

const VARIABLE = 'CHROMIUM_BINARY';
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'chrome'];

/** The program at `CHROMIUM_BINARY`. */
export const namedChromium: Source<Browser> = {
  name: VARIABLE,
  async find(search) {
    const binary = search.environment[VARIABLE];
    if (!binary) return unavailable('not set');
    try {
      return { outcome: 'found', plan: await installed(binary, search), insist: true };
    } catch (error) {
      search.signal.throwIfAborted();
      throw new LocalServicesError(
        'BINARY_UNUSABLE',
        `${VARIABLE} cannot be used: ${reasonOf(error)}. Correct the path, or unset ${VARIABLE}.`,
        { cause: error },
      );
    }
  },
};

/** A Chromium or Google Chrome that is installed on this machine. */
export const chromiumOnPath: Source<Browser> = {
  name: 'chromium or google-chrome on PATH',
  async find(search) {
    const binary = await findOnPath(NAMES, search.environment);
    if (binary === undefined) return unavailable('not there');
    return { outcome: 'found', plan: await installed(binary, search) };
  },
};

async function installed(binary: string, search: Search): Promise<Browser> {
  const version = await binaryVersion(binary, OLDEST_CHROMIUM, search);
  return {
    binary,
    arguments: chromiumArguments(),
    environment: search.environment,
    description: `Chromium ${version} (${binary})`,
  };
}
