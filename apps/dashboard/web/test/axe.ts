import axe from 'axe-core';
import type { Page } from 'playwright-core';

type Finding = { id: string; impact: string | null; nodes: { html: string; failureSummary: string }[] };

/** The violations of the default rules of axe on the page; empty if there are none. */
export const findingsOf = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe.source);
  const violations: Finding[] = await page.evaluate(
    // The code is a string, because it runs in the page.
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  );
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`,
  );
};
