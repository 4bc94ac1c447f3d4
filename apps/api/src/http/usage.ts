import type { UsageCount } from '@chairside/mongodb';
import type { App } from '../context.ts';

const READS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** Counts the requests of each principal, and what the process computes for them, for `chairside-admin top`. */
export const countUsage = (app: App, usage: Pick<UsageCount, 'add'>): void => {
  app.addHook('onResponse', async ({ method, principal, work }) => {
    // Callers without credentials are counted by their networks, in the limits.
    if (principal === undefined) return;
    usage.add(principal.organizationId, `${principal.kind} ${principal.id}`, {
      requests: 1,
      writes: READS.includes(method) ? 0 : 1,
      computedMs: work.ms,
    });
  });
};
