import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { run } from '@chairside/processes';
import { cacheDirectoryFrom } from '../cache-directory.ts';
import type { EngineOptions } from '../engine.ts';
import { LocalServicesError, reasonOf } from '../problem.ts';
import { chooseSource, type StartResult, type Tried } from '../sources/choose-source.ts';
import type { Search, Source } from '../sources/source.ts';
import type { Browser } from './chromium.ts';
import { debianChromium } from './debian-chromium.ts';
import { downloadedChromium } from './downloaded-chromium.ts';
import { chromiumOnPath, namedChromium } from './installed-chromium.ts';

/** The sources of Chromium, in the order in which they are tried. */
const SOURCES: readonly Source<Browser>[] = [
  namedChromium,
  chromiumOnPath,
  downloadedChromium,
  debianChromium,
];

const TRIAL_MS = 30_000;
const TRIAL_TEXT = 'chairside';

/**
 * Finds a Chromium for tests: the program at `CHROMIUM_BINARY`, a program on `PATH`, the build that Playwright
 * downloads, or the package of Debian, unpacked into the cache.
 *
 * @throws {LocalServicesError} if no source provides a Chromium that runs, or if `CHROMIUM_BINARY` cannot be used
 */
export async function findBrowser({
  environment = process.env,
  cacheDirectory = cacheDirectoryFrom(environment),
  onProgress = () => {},
  signal = new AbortController().signal,
}: Omit<EngineOptions, 'dataDirectory' | 'ephemeral'> = {}): Promise<Browser> {
  const search: Search = { cacheDirectory: resolve(cacheDirectory), environment, onProgress, signal };
  const choice = await chooseSource(SOURCES, search, (browser) => tryToShow(browser, search));
  if (choice.outcome === 'running') return choice.running;
  throw new LocalServicesError('NO_ENGINE', noBrowserText(choice.outcome === 'none' ? choice.tried : []));
}

/** Makes the browser show a page, because a browser may report its version although it cannot render pages. */
async function tryToShow(browser: Browser, { signal }: Search): Promise<StartResult<Browser>> {
  const profile = await mkdtemp(join(tmpdir(), 'chairside-chromium-'));
  try {
    const page = await run(
      browser.binary,
      [
        '--headless',
        `--user-data-dir=${profile}`,
        ...browser.arguments,
        '--dump-dom',
        `data:text/plain,${TRIAL_TEXT}`,
      ],
      { signal, environment: browser.environment, timeoutMs: TRIAL_MS },
    );
    if (page.includes(TRIAL_TEXT)) return { outcome: 'running', running: browser };
    return { outcome: 'didNotRun', reason: 'it shows no page' };
  } catch (error) {
    signal.throwIfAborted();
    return { outcome: 'didNotRun', reason: reasonOf(error) };
  } finally {
    await rm(profile, { recursive: true, force: true });
  }
}

/** The message when no browser was found: the sources that were tried, and the simplest way to install a browser. */
export function noBrowserText(tried: readonly Tried[]): string {
  return [
    'No Chromium could be found or started. Tried, in this order:',
    ...tried.map(({ source, reason }) => `  - ${source}: ${reason}`),
    'The simplest solution: install Chromium or Google Chrome, then set CHROMIUM_BINARY to its program.',
  ].join('\n');
}
