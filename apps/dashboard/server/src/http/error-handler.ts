import { Refusal } from '@chairside/domain';
import { errorBody, frameworkRefusal, serviceUnavailable } from '@chairside/http-server';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ApiUnreachable } from '../api.ts';
import type { Metrics } from '../metrics.ts';

/** The largest body that the dashboard itself reads, in bytes. Forwarded bodies have their own limits. */
export const MAX_BODY_BYTES = 8192;

/** The refusal of a request because the api does not respond. */
export const apiUnreachable = (cause: unknown): Refusal =>
  serviceUnavailable('The service is unreachable. Try again later.', cause);

const toRefusal = (error: Error): Refusal | undefined => {
  if (error instanceof Refusal) return error;
  if (error instanceof ApiUnreachable) return apiUnreachable(error);
  return frameworkRefusal(error as FastifyError, MAX_BODY_BYTES);
};

/** Responds to every failure with the error body of the API. Details of an internal error are in the log only. */
export const errorHandler =
  (metrics: Pick<Metrics, 'faulted'>) =>
  (error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = toRefusal(error);
    if (refusal === undefined) metrics.faulted();
    const body = errorBody(refusal, request.id);
    if (body.statusCode >= 500) request.log.error({ err: refusal?.cause ?? error }, 'request failed');
    if (refusal?.retryAfter !== undefined) reply.header('Retry-After', String(refusal.retryAfter));
    return reply.status(body.statusCode).send(body);
  };
