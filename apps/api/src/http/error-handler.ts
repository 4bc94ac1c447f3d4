import { Refusal, type RefusalName, type ResourceLimit } from '@chairside/domain';
import { type Unavailability, unavailabilityOf } from '@chairside/mongodb';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from '../metrics.ts';

const STATUS: Readonly<Record<RefusalName, number>> = {
  ValidationError: 400,
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  Conflict: 409,
  PreconditionFailed: 412,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  TooManyRequests: 429,
  ServiceUnavailable: 503,
};

const SCHEMES = 'Basic realm="Chairside API key", charset="UTF-8", Token realm="Chairside operator"';

/** The largest body of a request, in bytes. */
export const MAX_BODY_BYTES = 256 * 1024;

/**
 * The most concurrent operations of the api in the database. This number keeps a database busy. With more, its
 * throughput falls.
 */
export const MAX_DATABASE_OPERATIONS = 20;

export const databaseLimits: readonly ResourceLimit[] = [
  {
    id: 'database_operations',
    part: 'Connections and requests',
    resource:
      'Database operations in flight, and the same number for lists, unless `MONGODB_URL` has a `maxPoolSize`',
    value: MAX_DATABASE_OPERATIONS,
    unit: 'at once in each process',
    beyond: 'the request waits, up to 1.5 s; then 503 ServiceUnavailable',
    metric: 'chairside_api_refusals_total',
  },
];

export const bodyLimits: readonly ResourceLimit[] = [
  {
    id: 'body',
    part: 'Connections and requests',
    resource: 'Body of a request',
    value: MAX_BODY_BYTES / 1024,
    unit: 'KiB',
    beyond: '413 PayloadTooLarge',
    metric: 'chairside_api_refusals_total',
  },
];

const fromFramework = (error: FastifyError): Refusal | undefined => {
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Refusal(
        'UnsupportedMediaType',
        'Send the body as JSON, with the header Content-Type: application/json.',
      );
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refusal(
        'PayloadTooLarge',
        `The body is larger than ${MAX_BODY_BYTES} bytes. Send a smaller body.`,
        {
          limit: 'body',
        },
      );
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new Refusal('BadRequest', 'The body is empty. Send a JSON object.');
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new Refusal('BadRequest', 'The body is not valid JSON. Send a JSON object.');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Refusal(
        'BadRequest',
        'The header Content-Length differs from the length of the body. Set it to the number of bytes in the body.',
      );
  }
  // All other refusals of Fastify. Their messages are replaced, because they may quote patient data of the request.
  const isRefusal = String(error.code).startsWith('FST_') && (error.statusCode ?? 500) < 500;
  return isRefusal
    ? new Refusal('BadRequest', 'This request is malformed. Check its headers and its body.')
    : undefined;
};

/** The refusal of a request because the database is unreachable or overloaded. */
const unavailable = (unavailability: Unavailability, cause: unknown): Refusal =>
  unavailability === 'away'
    ? new Refusal('ServiceUnavailable', 'The database is unreachable. Try again later.', {
        retryAfter: 2,
        cause,
      })
    : new Refusal('ServiceUnavailable', 'The database is overloaded. Try again later.', {
        retryAfter: 1,
        limit: 'database_operations',
        cause,
      });

/** The refusal for an error; undefined for an internal error. */
const toRefusal = (error: Error): Refusal | undefined => {
  if (error instanceof Refusal) return error;
  const unavailability = unavailabilityOf(error);
  if (unavailability !== undefined) return unavailable(unavailability, error);
  return fromFramework(error as FastifyError);
};

/** Responds to every failure with the error body of the API. Details of an internal error are in the log, never in the response. */
export const errorHandler =
  (metrics: Pick<Metrics, 'refused'>) =>
  (error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = toRefusal(error);
    if (refusal !== undefined) metrics.refused({ name: refusal.name, limit: refusal.limit ?? 'none' });
    const statusCode = refusal === undefined ? 500 : STATUS[refusal.name];
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
    return reply.status(statusCode).send({
      message:
        refusal?.message ??
        'An internal error occurred. Try again later. If the error persists, report it with its request id.',
      name: refusal?.name ?? 'InternalServerError',
      statusCode,
      details: { ...refusal?.details, requestId: request.id },
    });
  };
