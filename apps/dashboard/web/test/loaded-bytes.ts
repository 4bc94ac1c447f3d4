import type { Page } from 'playwright-core';

/** The compressed bytes of the files with these endings that the page has loaded: scripts, styles and fonts. */
export const loadedBytes = (
  on: Page,
  endings: readonly string[] = ['.js', '.css', '.woff2'],
): Promise<number> =>
  on.evaluate(
    (wanted) =>
      performance
        .getEntriesByType('resource')
        .filter(({ name }) => wanted.some((ending) => name.endsWith(ending)))
        .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
    endings,
  );
