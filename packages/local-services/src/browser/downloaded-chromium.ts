import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { CommandFailure, run } from '@chairside/processes';
import { binaryVersion, OLDEST_CHROMIUM } from '../binary-version.ts';
import { cacheEntry } from '../cache-entry.ts';
import { unlessRefused } from '../refusal.ts';
import type { Search, Source } from '../sources/source.ts';
import { type Browser, chromiumArguments } from './chromium.ts';

const require = createRequire(import.meta.url);
/** Playwright is resolved only when it is needed, because processes that need no browser import this package too. */
const playwright = () => {
  const file = require.resolve('playwright-core/package.json');
  const { version } = require(file) as { version: string };
  return { cli: join(dirname(file), 'cli.js'), version };
};

/** The build of Chromium that belongs to the installed version of Playwright. */
export const downloadedChromium: Source<Browser> = {
  name: 'download of Chromium by Playwright',
  find(search) {
    const { cli, version: release } = playwright();
    const entry = `chromium-playwright-${release}-${process.platform}-${process.arch}`;
    return unlessRefused(entry, search, async () => {
      const { folder, built } = await cacheEntry(entry, search, (unfinished) =>
        download(cli, unfinished, search),
      );
      const binary = await programIn(folder);
      const version = await binaryVersion(binary, OLDEST_CHROMIUM, search);
      return {
        outcome: 'found',
        plan: {
          binary,
          arguments: chromiumArguments(),
          environment: search.environment,
          description: `Chromium ${version} (${built ? 'downloaded' : 'cached'})`,
        },
      };
    });
  },
};

async function download(cli: string, folder: string, search: Search): Promise<void> {
  search.onProgress('Downloading Chromium (about 100 MB)');
  try {
    await run(process.execPath, [cli, 'install', '--only-shell', 'chromium'], {
      signal: search.signal,
      environment: {
        ...search.environment,
        PLAYWRIGHT_BROWSERS_PATH: folder,
        PLAYWRIGHT_SKIP_BROWSER_GC: '1',
      },
    });
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    // The last lines contain the stack of Playwright's own process, so the line with the error is searched for.
    const reason = error.lastLines.find((line) => line.startsWith('Error: ')) ?? error.message;
    throw new Error(reason.replace(/^Error: /, ''), { cause: error });
  }
  await programIn(folder);
}

/** Searches for the program, because its folder contains the build number and its path depends on the system. */
async function programIn(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true });
  const program = files.find((file) => /(^|[/\\])(chrome-)?headless[-_]shell(\.exe)?$/.test(file));
  if (program === undefined) throw new Error('the download contains no chrome-headless-shell');
  return join(folder, program);
}
