import { finished } from 'node:stream';
import {
  beyondFullQueue,
  createConcurrencyCount,
  createFairQueue,
  refusalOfFullQueue,
} from '@chairside/concurrency';
import { Refusal, type RefusalName, type ResourceLimit } from '@chairside/domain';
import { disconnected } from '@chairside/http-server';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { PRINCIPAL_LIFE_MS } from '../http/principal-cache.ts';
import type { Metrics } from '../monitoring/metrics.ts';

/** How many streams may be open at once. A stream is a response that is longer than one chunk of a list. */
const MAX_OF_PRINCIPAL = 4;
const MAX_OF_ORGANIZATION = 8;
const MAX_OF_PROCESS = 16;
/**
 * How many lists may read their first rows, or a page, at once: in the process, and of one organization. These lists
 * read at the speed of the database, not of the caller.
 */
const MAX_READS = 8;
const MAX_READS_OF_ORGANIZATION = 2;
/** How many lists may wait for their turn to read. */
const MAX_READS_WAITING = 200;
/** `Retry-After` of a refused list, in seconds. */
const RETRY_AFTER = 5;

const REFUSALS = 'chairside_api_refusals_total';
export const streamLimits: readonly ResourceLimit[] = [
  {
    id: 'streams_of_principal',
    part: 'Reading',
    resource:
      'Streams (lists of more than 256 KiB or 1,000 rows, and pages of more than 256 KiB) of one API key or operator',
    value: MAX_OF_PRINCIPAL,
    unit: 'at once in each process',
    beyond: '429 TooManyRequests',
    metric: REFUSALS,
  },
  {
    id: 'streams_of_organization',
    part: 'Reading',
    resource: 'Streams of one organization',
    value: MAX_OF_ORGANIZATION,
    unit: 'at once in each process',
    beyond: '429 TooManyRequests',
    metric: REFUSALS,
  },
  {
    id: 'streams',
    part: 'Reading',
    resource: 'Streams of all callers',
    value: MAX_OF_PROCESS,
    unit: 'at once in each process',
    beyond: '503 ServiceUnavailable',
    metric: 'chairside_api_streams',
  },
  {
    id: 'reads',
    part: 'Reading',
    resource: 'Lists whose first rows, or whose next page, are being read from the database',
    value: MAX_READS,
    unit: 'at once in each process',
    beyond: 'the list waits; organizations take turns',
    metric: 'chairside_api_reads_waiting',
  },
  {
    id: 'reads_of_organization',
    part: 'Reading',
    resource:
      'Lists of one organization whose first rows, or whose next page, are being read from the database',
    value: MAX_READS_OF_ORGANIZATION,
    unit: 'at once in each process',
    beyond: 'the list waits; organizations take turns',
    metric: 'chairside_api_reads_waiting',
  },
  {
    id: 'reads_waiting',
    part: 'Reading',
    resource: 'Lists that wait for their turn to be read',
    value: MAX_READS_WAITING,
    unit: 'in each process',
    beyond: beyondFullQueue('an organization'),
    metric: REFUSALS,
  },
];

declare module 'fastify' {
  interface FastifyInstance {
    listAdmission: ListAdmission;
  }
}

/** Limits how many lists are read at once, because each of them holds rows in memory until they are sent. */
export type ListAdmission = {
  /**
   * Counts the response as a stream until it has ended.
   *
   * @throws {Refusal} TooManyRequests or ServiceUnavailable
   */
  openStream(reply: FastifyReply): void;
  /**
   * Runs the work when it is its turn. Organizations take turns, regardless of how many lists of one organization wait.
   *
   * @throws {Refusal} BadRequest if the caller has disconnected, TooManyRequests or ServiceUnavailable if too many
   *   lists wait, and the refusals of `authorizeAgain`
   */
  inTurn<R>(reply: FastifyReply, work: () => Promise<R>): Promise<R>;
};

type StreamLimit = { max: number; limit: string; refusal: RefusalName; whose: string };
const OF_PRINCIPAL: StreamLimit = {
  max: MAX_OF_PRINCIPAL,
  limit: 'streams_of_principal',
  refusal: 'TooManyRequests',
  whose: 'each caller',
};
const OF_ORGANIZATION: StreamLimit = {
  max: MAX_OF_ORGANIZATION,
  limit: 'streams_of_organization',
  refusal: 'TooManyRequests',
  whose: 'each organization',
};
const OF_PROCESS: StreamLimit = {
  max: MAX_OF_PROCESS,
  limit: 'streams',
  refusal: 'ServiceUnavailable',
  whose: 'this process',
};

const tooManyStreams = ({ max, limit, refusal, whose }: StreamLimit): Refusal =>
  new Refusal(
    refusal,
    `At most ${max} long lists can be open at once for ${whose}. Finish reading one, or request pages with limit.`,
    { retryAfter: RETRY_AFTER, limit },
  );

/** Counts the open streams by principal, by organization and in the process. */
const createStreamCount = (metrics: Pick<Metrics, 'streams'>) => {
  const open = createConcurrencyCount();
  const show = (): void => metrics.streams(open.of('process'));
  return {
    /** @throws {Refusal} TooManyRequests or ServiceUnavailable */
    open({ request: { principal }, raw }: FastifyReply): void {
      const stream = open.begin([
        { ...OF_PRINCIPAL, name: `principal ${principal.kind}:${principal.id}` },
        { ...OF_ORGANIZATION, name: `organization ${principal.organizationId}` },
        { ...OF_PROCESS, name: 'process' },
      ]);
      if (stream.full !== undefined) throw tooManyStreams(stream.full);
      show();
      finished(raw, () => {
        stream.end();
        show();
      });
    },
  };
};

/** Lets a limited number of lists read their first rows or a page. The others wait. */
const createReads = (metrics: Pick<Metrics, 'readsWaiting'>): Pick<ListAdmission, 'inTurn'> => {
  const reads = createFairQueue({
    atOnce: MAX_READS,
    atOnceOfCaller: MAX_READS_OF_ORGANIZATION,
    maxWaiting: MAX_READS_WAITING,
  });
  const showWaiting = () => metrics.readsWaiting(reads.waiting());
  return {
    async inTurn({ request, raw }, work) {
      request.endTurn();
      const turn = reads.run(request.principal.organizationId, async () => {
        showWaiting();
        // The caller has disconnected, so the records must not enter the audit trail as read.
        if (raw.destroyed) throw disconnected();
        await request.authorizeAgain(PRINCIPAL_LIFE_MS);
        return work();
      });
      showWaiting();
      try {
        return await turn;
      } catch (cause) {
        showWaiting();
        throw refusalOfFullQueue(cause, {
          what: 'lists',
          whose: 'organization',
          retryAfter: RETRY_AFTER,
          limit: 'reads_waiting',
        });
      }
    },
  };
};

/** Adds `listAdmission` to the app, for the handlers of lists. */
export const listAdmission = (
  app: FastifyInstance,
  metrics: Pick<Metrics, 'streams' | 'readsWaiting'>,
): void => {
  const streams = createStreamCount(metrics);
  app.decorate('listAdmission', { ...createReads(metrics), openStream: streams.open });
};
