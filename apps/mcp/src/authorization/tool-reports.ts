import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Introspection } from '../introspection.ts';

const MINUTE = 60_000;
/** Maximum number of calls that this process remembers to have reported. */
const MAX_REPORTED = 10_000;

/**
 * Returns a function that tells the dashboard which tool an app has called, so that the practice can see it. Each tool of
 * a grant is reported once a minute. A report that fails is logged, and the next call of the tool repeats it.
 */
export const createReports = (introspection: Pick<Introspection, 'introspect'>, now: () => Date) => {
  const reported = new LRUCache<string, true>({ max: MAX_REPORTED });
  return async ({ grant, headers, log }: FastifyRequest, tool: string): Promise<void> => {
    const key = `${grant?.grantId} ${tool} ${Math.floor(now().getTime() / MINUTE)}`;
    if (reported.has(key)) return;
    reported.set(key, true);
    const [, token = ''] = (headers.authorization ?? '').split(' ');
    try {
      await introspection.introspect(token, tool);
    } catch (err) {
      reported.delete(key);
      log.warn({ err }, 'the call of a tool was not reported to the dashboard');
    }
  };
};
