import { createConcurrencyCount, createFairQueue, type Place } from '@chairside/concurrency';
import { Refusal, type RefusalName, type ResourceLimit } from '@chairside/domain';
import { disconnected, untilClosed } from '@chairside/http-server';
import type { Limit, RateLimiter } from '@chairside/queue';
import type { FastifyReply } from 'fastify';
import { PRINCIPAL_LIFE_MS } from '../http/principal-cache.ts';
import { callLimit, countCall } from '../http/rate-limit-refusal.ts';

/** An access request of a person is rare. Whoever begins an export every minute copies the patients of the practice. */
const CALLS: Limit = { calls: 60, seconds: 3600 };
/** How many exports may be open at once. Each holds a chunk and a batch of rows in memory until they are sent. */
const MAX_OF_ORGANIZATION = 2;
const MAX_OF_PROCESS = 8;
/** How many exports read a part at the same time. A slow reader has no turn while it reads what it got. */
const MAX_READS = 1;
/** `Retry-After` of a refused export, in seconds. */
const RETRY_AFTER = 5;

const part = 'Reading';
const metric = 'chairside_api_refusals_total';
export const exportLimits: readonly ResourceLimit[] = [
  callLimit('exports_begun', part, 'Exports of one patient that one organization begins', CALLS),
  {
    id: 'exports_of_organization',
    part,
    resource: 'Exports of one patient that one organization reads',
    value: MAX_OF_ORGANIZATION,
    unit: 'at once in each process',
    beyond: '429 TooManyRequests',
    metric,
  },
  {
    id: 'exports',
    part,
    resource: 'Exports of one patient that all organizations read',
    value: MAX_OF_PROCESS,
    unit: 'at once in each process',
    beyond: '503 ServiceUnavailable',
    metric,
  },
  {
    id: 'export_reads',
    part,
    resource: 'Exports of one patient whose next part, of at most 256 KiB, is being read from the database',
    value: MAX_READS,
    unit: 'at once in each process',
    beyond: 'the export waits; organizations take turns',
  },
];

type Counted = Place & { whose: string; limit: string; refusal: RefusalName };
const OF_ORGANIZATION = {
  max: MAX_OF_ORGANIZATION,
  whose: 'each organization',
  limit: 'exports_of_organization',
  refusal: 'TooManyRequests',
} as const;
const OF_PROCESS = {
  max: MAX_OF_PROCESS,
  whose: 'this process',
  limit: 'exports',
  refusal: 'ServiceUnavailable',
} as const;

const tooManyOpen = ({ max, whose, limit, refusal }: Counted): Refusal =>
  new Refusal(
    refusal,
    `At most ${max} exports can be read at once for ${whose}. Finish reading one, then try again.`,
    { retryAfter: RETRY_AFTER, limit },
  );

/** Limits exports, each of which reads all that is stored about a patient. */
export const openExportTurns = (limiter: Pick<RateLimiter, 'take'>) => {
  const open = createConcurrencyCount();
  // An open export waits for one part at a time, so the queue has room for each of them.
  const reads = createFairQueue({ atOnce: MAX_READS, maxWaiting: MAX_OF_PROCESS });
  return {
    /**
     * Counts an export until its response has ended.
     *
     * @throws {Refusal} TooManyRequests or ServiceUnavailable
     */
    async begin({ request, raw }: FastifyReply): Promise<void> {
      const { organizationId } = request.principal;
      await countCall(limiter, `exports:${organizationId}`, CALLS, {
        limit: 'exports_begun',
        what: `Your organization may begin at most ${CALLS.calls} exports in an hour.`,
      });
      const begun = open.begin<Counted>([
        { ...OF_ORGANIZATION, name: `organization ${organizationId}` },
        { ...OF_PROCESS, name: 'process' },
      ]);
      if (begun.full !== undefined) throw tooManyOpen(begun.full);
      untilClosed(raw).then(begun.end);
    },
    /**
     * Reads a part when it is the organization's turn.
     *
     * @throws {Refusal} BadRequest if the caller has disconnected, and the refusals of `authorizeAgain`
     */
    read<R>({ request, raw }: FastifyReply, work: () => Promise<R>): Promise<R> {
      request.endTurn();
      return reads.run(request.principal.organizationId, async () => {
        // Otherwise the audit trail would name records that nobody receives.
        if (raw.destroyed) throw disconnected();
        await request.authorizeAgain(PRINCIPAL_LIFE_MS);
        return work();
      });
    },
  };
};
