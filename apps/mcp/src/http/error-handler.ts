import { type ErrorBody, Refusal, type ResourceLimit } from '@chairside/domain';
import { type BodyBounds, bodyLimitsOf, errorBody, frameworkRefusal } from '@chairside/http-server';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from '../metrics.ts';

/** The largest message of a client, in bytes. The arguments of every tool are smaller. */
export const MAX_BODY_BYTES = 64 * 1024;

export const bodyBounds: BodyBounds = {
  max: MAX_BODY_BYTES,
  maxOfOrganization: 2 * 2 ** 20,
  maxOfProcess: 16 * 2 ** 20,
  ids: {
    body: 'connector_body',
    ofOrganization: 'connector_bodies_of_organization',
    ofProcess: 'connector_bodies',
  },
};
export const connectorBodyLimits: readonly ResourceLimit[] = bodyLimitsOf(bodyBounds, 'Connected apps', {
  whose: ' to the connector',
});

/** The codes of JSON-RPC 2.0, section 5.1. */
const INVALID_JSON = -32_700;
const INTERNAL = -32_603;
/** The code of refusals that have no code in the protocol. */
const REFUSED = -32_000;

const codeOf = (error: Error, statusCode: number): number => {
  if ((error as FastifyError).code === 'FST_ERR_CTP_INVALID_JSON_BODY') return INVALID_JSON;
  return statusCode === 500 ? INTERNAL : REFUSED;
};

/** The id of a request of JSON-RPC, which its response must repeat; null if it cannot be read. */
const idOf = (body: unknown): string | number | null => {
  const { id } = (typeof body === 'object' && body !== null ? body : {}) as { id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
};

/**
 * Logs the details of a failure, which no response contains, and sets the status and the headers of the refusal.
 * Returns the error body.
 */
const report = (
  metrics: Pick<Metrics, 'faulted'>,
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): ErrorBody => {
  const refusal = error instanceof Refusal ? error : frameworkRefusal(error as FastifyError, MAX_BODY_BYTES);
  if (refusal === undefined) metrics.faulted();
  const body = errorBody(refusal, request.id);
  if (body.statusCode >= 500) request.log.error({ err: refusal?.cause ?? error }, 'request failed');
  else if (refusal?.limit !== undefined) request.log.warn({ limit: refusal.limit }, 'request refused');
  if (refusal?.retryAfter !== undefined) reply.header('Retry-After', String(refusal.retryAfter));
  reply.status(body.statusCode);
  return body;
};

/** Responds to every failure with the error body of the API. */
export const errorHandler =
  (metrics: Pick<Metrics, 'faulted'>) =>
  (error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    reply.send(report(metrics, error, request, reply));

/** Responds to every failure of a message with an error of JSON-RPC. */
export const messageErrorHandler =
  (metrics: Pick<Metrics, 'faulted'>) =>
  (error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { message, statusCode } = report(metrics, error, request, reply);
    return reply.type('application/json; charset=utf-8').send({
      jsonrpc: '2.0',
      id: idOf(request.body),
      error: { code: codeOf(error, statusCode), message, data: { requestId: request.id } },
    });
  };
