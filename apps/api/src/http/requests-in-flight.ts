import { beyondFullQueue, createFairQueue, refusalOfFullQueue } from '@chairside/concurrency';
import type { ResourceLimit } from '@chairside/domain';
import { disconnected } from '@chairside/http-server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from '../monitoring/metrics.ts';
import { PRINCIPAL_LIFE_MS } from './principal-cache.ts';

/**
 * Requests in flight: in the process, and of one organization. Concurrent writes share statements, so a smaller number
 * would lower the throughput of one organization.
 */
const MAX_IN_FLIGHT = 256;
const MAX_OF_ORGANIZATION = 128;
const MAX_WAITING = 2000;
/** A batch is like this many requests while its body is parsed: five of an organization at once. */
const WEIGHT_OF_BATCH = 25;
/** `Retry-After` of a refused request, in seconds. */
const RETRY_AFTER = 1;

const part = 'Connections and requests';
export const requestTurnLimits: readonly ResourceLimit[] = [
  {
    id: 'requests',
    part,
    resource: 'Requests in flight, without lists',
    value: MAX_IN_FLIGHT,
    unit: 'at once in each process',
    beyond: 'the request waits; organizations take turns',
    metric: 'chairside_api_requests_waiting',
  },
  {
    id: 'requests_of_organization',
    part,
    resource: 'Requests of one organization in flight, without lists',
    value: MAX_OF_ORGANIZATION,
    unit: 'at once in each process',
    beyond: 'the request waits; organizations take turns',
    metric: 'chairside_api_requests_waiting',
  },
  {
    id: 'requests_waiting',
    part,
    resource: 'Requests that wait for their turn',
    value: MAX_WAITING,
    unit: 'in each process',
    beyond: beyondFullQueue('an organization'),
    metric: 'chairside_api_refusals_total',
  },
];

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Resolves when the turn of the request begins. The turn ends when the response is ready, or with `endTurn`. Only
     * the first call waits.
     *
     * @throws {Refusal} TooManyRequests or ServiceUnavailable if too many requests wait, BadRequest if the caller has
     *   disconnected, and refusals of credentials that have become invalid in the meantime
     */
    takeTurn(): Promise<void>;
    /** Ends the turn. A list ends it when it begins to wait for the turn of lists. */
    endTurn(): void;
    /**
     * Does a part of the work of a request whose turn has ended in a turn of its own.
     *
     * @param weight the number of requests that the part is like
     * @throws {Refusal} as `takeTurn`
     */
    inTurn<T>(work: () => Promise<T>, weight: number): Promise<T>;
  }
}

type Turn = { began: Promise<void>; end(): void };

/**
 * Lets organizations take turns, so that the requests of one organization do not delay those of others. A request takes
 * its turn when its body has arrived, before the body is parsed.
 */
export const requestTurns = (app: FastifyInstance, metrics: Pick<Metrics, 'requestsWaiting'>): void => {
  const turns = createFairQueue({
    atOnce: MAX_IN_FLIGHT,
    atOnceOfCaller: MAX_OF_ORGANIZATION,
    maxWaiting: MAX_WAITING,
  });
  const taken = new WeakMap<FastifyRequest, Turn>();

  const begin = ({ principal: { organizationId }, routeOptions }: FastifyRequest): Turn => {
    const weight = routeOptions.config.isLarge === true ? WEIGHT_OF_BATCH : 1;
    const ended = Promise.withResolvers<void>();
    const began = new Promise<void>((resolve, reject) => {
      const hold = (): Promise<void> => {
        resolve();
        return ended.promise;
      };
      turns.run(organizationId, hold, weight).then(() => metrics.requestsWaiting(turns.waiting()), reject);
    });
    metrics.requestsWaiting(turns.waiting());
    return { began, end: ended.resolve };
  };

  const refusalOf = (cause: unknown): unknown =>
    refusalOfFullQueue(cause, {
      what: 'requests',
      whose: 'organization',
      retryAfter: RETRY_AFTER,
      limit: 'requests_waiting',
    });

  const take = async (request: FastifyRequest): Promise<void> => {
    // A request without credentials belongs to no organization, so it does not wait.
    if (request.principal === undefined || taken.has(request)) return;
    const turn = begin(request);
    taken.set(request, turn);
    try {
      await turn.began;
    } catch (cause) {
      throw refusalOf(cause);
    }
    if (request.raw.destroyed && !request.raw.complete) throw disconnected();
    await request.authorizeAgain(PRINCIPAL_LIFE_MS);
  };

  app.decorateRequest('takeTurn', function (this: FastifyRequest) {
    return take(this);
  });
  app.decorateRequest('inTurn', async function (
    this: FastifyRequest,
    work: () => Promise<unknown>,
    weight: number,
  ) {
    const done = turns.run(this.principal.organizationId, work, weight);
    metrics.requestsWaiting(turns.waiting());
    try {
      return await done;
    } catch (error) {
      throw refusalOf(error);
    } finally {
      metrics.requestsWaiting(turns.waiting());
    }
  } as FastifyRequest['inTurn']);
  app.decorateRequest('endTurn', function (this: FastifyRequest) {
    taken.get(this)?.end();
  });
  // A request with a body has taken its turn already.
  app.addHook('preValidation', (request) => request.takeTurn());
  app.addHook('onSend', async (request: FastifyRequest, _reply: FastifyReply, payload) => {
    request.endTurn();
    return payload;
  });
};
