import axe from 'axe-core';
import type { Page } from 'playwright-core';

type Finding = { id: string; impact: string | null; nodes: { html: string; failureSummary: string }[] };

/** What axe finds on the page, by the rules of WCAG 2.2 AA and good practice; empty for none. */
export const findingsOf = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe.source);
  const violations: Finding[] = await page.evaluate(
    // A text, because the code runs in the page.
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  );
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`,
  );
};
