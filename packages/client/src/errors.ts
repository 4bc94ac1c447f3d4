import type { ResponseHeaders } from './globals.ts';
import type { components } from './schema.ts';

type ErrorBody = components['schemas']['Error'];

/**
 * Every `name` of a {@link ChairsideError}.
 *
 * If the api refused the request, the name is that of the refusal: `ValidationError`, `Unauthorized`, `Forbidden`,
 * `NotFound`, `Conflict`, `LogExpired`, `PreconditionFailed`, `TooManyRequests`, `ServiceUnavailable` and so on.
 *
 * If there is no response of the api:
 * - `ConnectionError`: the connection could not be opened, or broke.
 * - `TimeoutError`: there was no complete response within `timeout`.
 * - `UnexpectedResponse`: the response is not one of the api, for example the error page of a proxy.
 *
 * If the client refused the call:
 * - `InvalidArgument`: an argument or an option is not valid. Nothing was sent.
 * - `LogExpired`: the position of `events.follow` is older than the 30 days of the event log. The api refuses such a
 *   position with the same name, if events after it have expired.
 *
 * @example
 * const retryLater: ErrorName[] = ['ConnectionError', 'TimeoutError', 'ServiceUnavailable'];
 */
export type ErrorName =
  | ErrorBody['name']
  | 'ConnectionError'
  | 'TimeoutError'
  | 'UnexpectedResponse'
  | 'InvalidArgument'
  | 'LogExpired'
  // A later version of the API may add names.
  | (string & {});

/**
 * One problem of a request that was refused with `ValidationError`.
 *
 * @example
 * const text = ({ path, message }: Issue) => `${path}: ${message}`;
 */
export interface Issue {
  /** The field, as a dotted path. */
  path: string;
  /** What the field must be. */
  message: string;
  /** The kind of the issue, for programs: `required`, `unknown`, `invalid` and so on. It never changes its meaning. */
  code: string;
}

/**
 * The details of a refusal, as the api returns them.
 *
 * @example
 * const mustConfirm = (details: ErrorDetails) => details.requiredConfirmation === 'password';
 */
export type ErrorDetails = Partial<ErrorBody['details']>;

/**
 * The fields of a {@link ChairsideError}.
 *
 * @example
 * const notFound = new ChairsideError({ name: 'NotFound', message: 'No such patient.', status: 404 });
 */
export interface ErrorFields {
  name: ErrorName;
  message: string;
  status?: number | undefined;
  issues?: readonly Issue[] | undefined;
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  details?: ErrorDetails | undefined;
  code?: string | undefined;
}

// A registered symbol, so that `instanceof` works between the ESM and the CommonJS copy in one process.
const BRAND = Symbol.for('@chairside/client/ChairsideError');

/**
 * Every error of this package, except the `reason` of your own `signal`. It has no `cause`, and contains no credential
 * and no part of a record, so it is safe to log.
 *
 * @example
 * try {
 *   await chairside.patients.create({ clinicId: 'cli_1', email: 'nobody' });
 * } catch (error) {
 *   if (!(error instanceof ChairsideError)) throw error;
 *   console.error(error.name, error.message, error.requestId);
 *   for (const { path, message } of error.issues) console.error(path, message);
 * }
 */
export class ChairsideError extends Error {
  /** The kind of error, for programs: see {@link ErrorName}. */
  override readonly name: ErrorName;
  /** The status of the response. Absent if there was no response. */
  readonly status: number | undefined;
  /** The problems of the request, if `name` is `ValidationError`; otherwise empty. */
  readonly issues: readonly Issue[];
  /** The id of the request. Quote it when you report a problem. */
  readonly requestId: string | undefined;
  /** The number of seconds after which the request may be sent again, from the header `Retry-After`. */
  readonly retryAfter: number | undefined;
  /** The details of the refusal, for example `requiredScope` or `requiredConfirmation`. */
  readonly details: ErrorDetails;
  /** The code of a network error as the runtime reports it, for example `ECONNREFUSED`. */
  readonly code: string | undefined;

  /** For this package. The constructor is public so that your tests can create errors. */
  constructor({
    name,
    message,
    status,
    issues = [],
    requestId,
    retryAfter,
    details = {},
    code,
  }: ErrorFields) {
    super(message);
    this.name = name;
    this.status = status;
    this.issues = issues;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.details = details;
    this.code = code;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** The error with its message, for structured logs. */
  toJSON(): Record<string, unknown> {
    return { ...(this as object), message: this.message };
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value;
  }
}

/** @returns an error for an argument or an option that is not valid */
export const invalid = (message: string): ChairsideError =>
  new ChairsideError({ name: 'InvalidArgument', message });

/** The codes of errors that occur before a connection is open, so that no byte of the request was sent. */
const UNSENT = new Set([
  'ECONNREFUSED',
  'ConnectionRefused',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether the request certainly did not reach the service. */
export const isUnsent = ({ code }: ChairsideError): boolean => code !== undefined && UNSENT.has(code);

/**
 * Returns the code of an error that `fetch` has thrown. The rest of the error is not used, because it may contain the
 * request.
 */
const codeOf = (error: unknown): string | undefined => {
  const { code, cause } = Object(error) as { code?: unknown; cause?: { code?: unknown } };
  const found = Object(cause).code ?? code;
  return typeof found === 'string' && /^\w{1,50}$/.test(found) ? found : undefined;
};

/** @param requestId of the response that broke, if its headers had arrived */
export const connectionError = (host: string, error: unknown, requestId?: string): ChairsideError => {
  const code = codeOf(error);
  const message = `The connection to ${host} failed${code === undefined ? '' : ` (${code})`}.`;
  return new ChairsideError({ name: 'ConnectionError', message, code, requestId });
};

/** @param requestId of the response that is not complete, if its headers had arrived */
export const timeoutError = (host: string, timeout: number, requestId?: string): ChairsideError =>
  new ChairsideError({
    name: 'TimeoutError',
    message: `${host} sent no complete response within ${timeout} ms.`,
    requestId,
  });

/** Reads `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date. */
export const retryAfterOf = (headers: ResponseHeaders, now: number): number | undefined => {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value);
  // An HTTP date begins with the day of the week. `Date.parse` accepts other forms too.
  const date = /^[A-Za-z]/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const unexpectedResponse = (
  status: number,
  requestId: string | undefined,
  retryAfter?: number,
): ChairsideError =>
  new ChairsideError({
    name: 'UnexpectedResponse',
    message: `The response with status ${status} is not one of the Chairside API. Check baseUrl.`,
    status,
    requestId,
    retryAfter,
  });

/** The error for a response with a status other than 2xx. */
export const errorOf = (
  { status, headers }: { status: number; headers: ResponseHeaders },
  text: string,
  now: number,
): ChairsideError => {
  const body = Object(parse(text)) as ErrorBody;
  const retryAfter = retryAfterOf(headers, now);
  const requestId = headers.get('x-request-id') ?? undefined;
  if (typeof body.name !== 'string' || typeof body.message !== 'string')
    return unexpectedResponse(status, requestId, retryAfter);
  return errorFrom(body, { status, requestId, retryAfter });
};

/** The error for the body of a refusal. */
export const errorFrom = (
  { name, message, details }: ErrorBody,
  { status, requestId, retryAfter }: Pick<ErrorFields, 'status' | 'requestId' | 'retryAfter'>,
): ChairsideError => {
  const known: ErrorDetails = Object(details);
  return new ChairsideError({
    name,
    message,
    status,
    issues: Array.isArray(known.issues) ? known.issues : [],
    requestId: requestId ?? known.requestId,
    retryAfter,
    details: known,
  });
};
