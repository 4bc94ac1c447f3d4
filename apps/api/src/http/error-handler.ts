import { fullQueueBehind, WorkSpentError } from '@chairside/concurrency';
import { conflict, type Principal, Refusal, type ResourceLimit, type Scope } from '@chairside/domain';
import { errorBody, frameworkRefusal, RETRY_AFTER } from '@chairside/http-server';
import {
  ExternalIdTakenError,
  mayReadLater,
  operationTurnLimits,
  SearchOffError,
  type Unavailability,
  unavailabilityOf,
} from '@chairside/mongodb';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from '../monitoring/metrics.ts';
import { MAX_BODY_BYTES } from './json-bodies.ts';

const SCHEMES = 'Basic realm="Chairside API key", charset="UTF-8", Token realm="Chairside operator"';

/**
 * Maximum number of concurrent database operations of an api process, without those of lists. This number keeps a
 * database busy. With more operations, its throughput falls.
 */
export const MAX_DATABASE_OPERATIONS = 20;

const OPERATIONS = operationTurnLimits(MAX_DATABASE_OPERATIONS);

export const databaseLimits: readonly ResourceLimit[] = [
  {
    id: 'database_operations',
    part: 'Connections and requests',
    resource:
      'Database operations in flight, without those of lists, which have the same limit (`maxPoolSize` in `MONGODB_URL` changes both)',
    value: MAX_DATABASE_OPERATIONS,
    unit: 'at once in each process',
    beyond: 'the request waits for up to 1.5 s, then gets 503 ServiceUnavailable',
    metric: 'chairside_api_refusals_total',
  },
  {
    id: 'operations_in_turns',
    part: 'Connections and requests',
    resource:
      'Database operations of all organizations in flight, without lists that are streamed whole and without inserts of records',
    value: OPERATIONS.atOnce,
    unit: 'at once in each process',
    beyond: 'the operation waits; organizations take turns; after 1.5 s, 503 ServiceUnavailable',
    metric: 'chairside_api_operations_waiting',
  },
  {
    id: 'operations_of_organization',
    part: 'Connections and requests',
    resource:
      'Database operations of one organization in flight, without lists that are streamed whole and without inserts of records',
    value: OPERATIONS.atOnceOfCaller,
    unit: 'at once in each process',
    beyond: 'the operation waits; organizations take turns; after 1.5 s, 503 ServiceUnavailable',
    metric: 'chairside_api_operations_waiting',
  },
  {
    id: 'operations_waiting',
    part: 'Connections and requests',
    resource: 'Database operations that wait for a turn',
    value: OPERATIONS.maxWaiting,
    unit: 'in each process',
    beyond:
      '429 TooManyRequests for a read of an organization that has its share, otherwise 503 ServiceUnavailable',
    metric: 'chairside_api_operations_waiting',
  },
];

/** The refusal of a request because the database is unavailable. */
class DatabaseRefusal extends Refusal {
  readonly unavailability: Unavailability;

  constructor(
    unavailability: Unavailability,
    message: string,
    options: { retryAfter: number; limit?: string; cause: unknown },
  ) {
    super('ServiceUnavailable', message, options);
    this.unavailability = unavailability;
  }
}

/**
 * The refusal of a request because the database is unavailable.
 *
 * @param isRead whether the request only reads. A 429 says that nothing was done, and a write may have been made in part
 */
const unavailable = (unavailability: Unavailability, cause: unknown, isRead: boolean): Refusal => {
  switch (unavailability) {
    case 'unreachable':
      return new DatabaseRefusal(unavailability, 'The database is unreachable. Try again later.', {
        retryAfter: RETRY_AFTER,
        cause,
      });
    case 'blocked':
      return new DatabaseRefusal(unavailability, 'The database refuses this for now. Try again later.', {
        retryAfter: RETRY_AFTER,
        cause,
      });
    case 'overloaded':
      return isRead && fullQueueBehind(cause)?.isCallers === true
        ? new Refusal('TooManyRequests', 'Too many requests of your organization wait. Send fewer at once.', {
            retryAfter: 1,
            limit: 'operations_waiting',
            cause,
          })
        : new DatabaseRefusal(unavailability, 'The database is overloaded. Try again later.', {
            retryAfter: 1,
            limit: 'database_operations',
            cause,
          });
  }
};

/** @param principal learns which record has the external id only if it may read the record */
const externalIdTaken = (
  { collection, recordId }: ExternalIdTakenError,
  principal: Principal | undefined,
): Refusal => {
  const mayRead =
    principal?.kind === 'operator' ||
    (principal?.kind === 'apiKey' && principal.scopes.includes(`${collection}:read` as Scope));
  return conflict(
    'external_id_taken',
    'Another record has this externalId. Send another one, or change the record that has it.',
    {
      details: {
        reason: 'external_id_taken',
        ...(mayRead && recordId !== undefined && { _id: recordId }),
      },
    },
  );
};

/** The refusal for an error; undefined for an internal error. */
export const refusalOf = (
  error: Error,
  { method, principal, routeOptions }: FastifyRequest,
): Refusal | undefined => {
  if (error instanceof Refusal) return error;
  if (error instanceof SearchOffError)
    return new Refusal(
      'Forbidden',
      'The search by name and telephone number is off for your organization. Find patients by e-mail address or id, or ask whoever runs the service to switch it on with chairside-admin organization search on.',
    );
  if (error instanceof ExternalIdTakenError) return externalIdTaken(error, principal);
  if (error instanceof WorkSpentError)
    return new Refusal('ServiceUnavailable', error.message, { limit: 'request_computing', cause: error });
  const isRead = method === 'GET' || method === 'HEAD' || routeOptions.config?.reads === true;
  const isOfRead = isRead && mayReadLater(error);
  const unavailability = unavailabilityOf(error) ?? (isOfRead ? 'blocked' : undefined);
  if (unavailability !== undefined) return unavailable(unavailability, error, isRead);
  return frameworkRefusal(error as FastifyError, MAX_BODY_BYTES);
};

/**
 * Counts a request, or a write of a batch, that was not done.
 *
 * @param refusal undefined for an internal error
 */
export const countFailure = (
  metrics: Pick<Metrics, 'refused' | 'databaseFailed' | 'faulted'>,
  refusal: Refusal | undefined,
): void => {
  if (refusal === undefined) {
    metrics.faulted();
    return;
  }
  metrics.refused({ name: refusal.name, limit: refusal.limit ?? 'none' });
  if (refusal instanceof DatabaseRefusal) metrics.databaseFailed(refusal.unavailability);
};

/**
 * Responds to every failure with the error body of the API. Details of an internal error are in the log, never in the
 * response.
 */
export const errorHandler =
  (metrics: Parameters<typeof countFailure>[0]) =>
  (error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = refusalOf(error, request);
    countFailure(metrics, refusal);
    const body = errorBody(refusal, request.id);
    const { statusCode } = body;
    if (refusal?.limit !== undefined) {
      request.log.warn(
        { limit: refusal.limit, ...(refusal.cause !== undefined && { err: refusal.cause }) },
        'request refused',
      );
    } else if (statusCode >= 500) request.log.error({ err: refusal?.cause ?? error }, 'request failed');
    // Handlers may have set these headers for the response that failed.
    for (const name of ['ETag', 'Link', 'X-Next-Cursor', 'X-Resume-Cursor', 'Idempotent-Replayed'])
      reply.removeHeader(name);
    if (statusCode === 401) reply.header('WWW-Authenticate', SCHEMES);
    if (refusal?.retryAfter !== undefined) reply.header('Retry-After', String(refusal.retryAfter));
    return reply.status(statusCode).send(body);
  };
