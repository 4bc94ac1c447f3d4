import { beyondFullQueue, createFairQueue, refusalOfFullQueue } from '@chairside/concurrency';
import type { ResourceLimit } from '@chairside/domain';
import { untilClosed } from '@chairside/http-server';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Batches in progress: in the process, and of one organization. Each holds its writes and its response in memory. */
const MAX_BATCHES = 8;
const MAX_OF_ORGANIZATION = 4;
const MAX_WAITING = 200;
/** `Retry-After` of a refused batch, in seconds. */
const RETRY_AFTER = 1;

const part = 'Writing';
export const batchTurnLimits: readonly ResourceLimit[] = [
  {
    id: 'batches',
    part,
    resource: 'Batches in progress, until their responses have been read',
    value: MAX_BATCHES,
    unit: 'at once in each process',
    beyond: 'the batch waits; organizations take turns',
  },
  {
    id: 'batches_of_organization',
    part,
    resource: 'Batches of one organization in progress, until their responses have been read',
    value: MAX_OF_ORGANIZATION,
    unit: 'at once in each process',
    beyond: 'the batch waits; organizations take turns',
  },
  {
    id: 'batches_waiting',
    part,
    resource: 'Batches that wait for their turn',
    value: MAX_WAITING,
    unit: 'in each process',
    beyond: beyondFullQueue('an organization'),
    metric: 'chairside_api_refusals_total',
  },
];

/**
 * Returns a function that resolves when the turn of a batch begins. The turn ends when the response has been read, because
 * that may be large. The function throws the refusals TooManyRequests and ServiceUnavailable if too many batches wait.
 */
export const openBatchTurns = (): ((request: FastifyRequest, reply: FastifyReply) => Promise<void>) => {
  const turns = createFairQueue({
    atOnce: MAX_BATCHES,
    atOnceOfCaller: MAX_OF_ORGANIZATION,
    maxWaiting: MAX_WAITING,
  });
  return ({ principal: { organizationId } }, { raw }) =>
    new Promise((begin, refuse) => {
      const hold = (): Promise<void> => {
        begin();
        return untilClosed(raw);
      };
      turns.run(organizationId, hold).catch((cause: unknown) =>
        refuse(
          refusalOfFullQueue(cause, {
            ...{ what: 'batches', whose: 'organization', retryAfter: RETRY_AFTER },
            limit: 'batches_waiting',
          }),
        ),
      );
    });
};
