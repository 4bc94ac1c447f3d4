import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';

const MINUTE = 60_000;
/** Maximum number of calls that this process remembers to have reported. */
const MAX_REPORTED = 10_000;

/**
 * Returns a function that reports the call of a tool to the dashboard, which shows it to the practice. A report checks the
 * token once more, in the same turns as every check. It is sent once a minute for each tool of a grant. If it fails, the log
 * says so, and the next call of the tool sends it again.
 */
export const createReports = (now: () => Date) => {
  const reported = new LRUCache<string, true>({ max: MAX_REPORTED });
  return async ({ grant, reportCall, log }: FastifyRequest, tool: string): Promise<void> => {
    const key = `${grant?.grantId} ${tool} ${Math.floor(now().getTime() / MINUTE)}`;
    if (reported.has(key)) return;
    reported.set(key, true);
    try {
      await reportCall?.(tool);
    } catch (err) {
      reported.delete(key);
      log.warn({ err }, 'the call of a tool was not reported to the dashboard');
    }
  };
};
