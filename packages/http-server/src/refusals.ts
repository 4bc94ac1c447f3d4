import { type ErrorBody, Refusal, type RefusalName } from '@chairside/domain';
import type { FastifyError } from 'fastify';

const STATUS: Readonly<Record<RefusalName, number>> = {
  ValidationError: 400,
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  Conflict: 409,
  LogExpired: 410,
  PreconditionFailed: 412,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  TooManyRequests: 429,
  ServiceUnavailable: 503,
};

/**
 * The `Retry-After` of a request that failed because the service was overloaded, or because a service or a store was
 * unreachable. In seconds.
 */
export const RETRY_AFTER = 2;

/**
 * The refusal of a request that failed because the service was overloaded, or because a service or a store was
 * unreachable.
 */
export const serviceUnavailable = (message: string, cause: unknown): Refusal =>
  new Refusal('ServiceUnavailable', message, { retryAfter: RETRY_AFTER, cause });

/** The refusal of a body that is not JSON. */
export const otherMediaType = (): Refusal =>
  new Refusal(
    'UnsupportedMediaType',
    'Send the body as JSON, with the header Content-Type: application/json.',
  );

/** The refusal for an error of Fastify; undefined for an internal error. */
export const frameworkRefusal = (error: FastifyError, maxBodyBytes: number): Refusal | undefined => {
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return otherMediaType();
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refusal(
        'PayloadTooLarge',
        `The body is larger than ${maxBodyBytes} bytes. Send a smaller body.`,
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

/**
 * The body of an error response. Its `statusCode` is the status of the response.
 *
 * @param refusal undefined for an internal error, whose details are for the log only
 */
export const errorBody = (refusal: Refusal | undefined, requestId: string): ErrorBody => ({
  message:
    refusal?.message ??
    'An internal error occurred. Try again later. If the error persists, report it with its request id.',
  name: refusal?.name ?? 'InternalServerError',
  statusCode: refusal === undefined ? 500 : STATUS[refusal.name],
  details: { ...refusal?.details, requestId },
});
