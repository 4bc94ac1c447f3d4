import type { ResourceLimit, WriteResult } from '@chairside/domain';

/** Maximum number of issues in the response to a batch, besides the first one of each write. */
const MAX_ISSUES_OF_BATCH = 1000;

/**
 * Leaves out issues beyond the limit, and counts them in `moreIssues`. Each write may have as many as a single call, so the
 * response could have 12 MB.
 */
export const withFewerIssues = (results: readonly WriteResult[]): WriteResult[] => {
  let left = MAX_ISSUES_OF_BATCH;
  return results.map((result) => {
    const { error } = result;
    const { issues = [], moreIssues = 0 } = error?.details ?? {};
    const shown = issues.slice(0, Math.max(1, left));
    left -= shown.length;
    const cut = issues.length - shown.length;
    if (error === undefined || cut === 0) return result;
    return {
      ...result,
      error: { ...error, details: { ...error.details, issues: shown, moreIssues: moreIssues + cut } },
    };
  });
};

export const batchIssueLimits: readonly ResourceLimit[] = [
  {
    id: 'batch_issues',
    part: 'Writing',
    resource: 'Issues in the response to a batch, besides the first one of each write',
    value: MAX_ISSUES_OF_BATCH,
    unit: 'issues',
    beyond: 'the others are counted in `moreIssues`',
  },
];
