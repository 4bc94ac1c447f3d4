import type { Page } from 'playwright-core';

/** The gzipped bytes of the scripts that the page has loaded. */
export const scriptBytes = (on: Page): Promise<number> =>
  on.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.endsWith('.js'))
      .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
  );
