import {
  ChairsideError,
  connectionError,
  errorOf,
  invalid,
  isUnsent,
  timeoutError,
  unexpectedResponse,
} from './errors.ts';
import type { FetchedResponse, FetchInit, ResponseHeaders, Signal } from './globals.ts';
import { type RequestOptions, readRetry, readTimeout, type Settings } from './options.ts';
import { type RateLimit, rateLimitOf, waitForLimit } from './rate-limit.ts';
import { type RetryPolicy, retryDelay } from './retry.ts';
import { followSignal, type Runtime } from './runtime.ts';

/**
 * A value of a query parameter. An array is joined with commas. An undefined value is omitted.
 *
 * @example
 * const fields: QueryValue = ['name', 'email'];
 */
export type QueryValue = string | number | boolean | Date | readonly string[] | undefined;

export type Request = {
  method: string;
  path: string;
  query?: object | undefined;
  body?: unknown;
  headers?: Readonly<Record<string, string | undefined>>;
  /** Whether the request may be sent again after it may have reached the service. */
  isRepeatable: boolean;
  /** Called when the service may have executed an attempt although no response confirms this. */
  onUncertain?: () => void;
  /** The error of a response with status 200 whose work is not complete. It is treated like that of another status. */
  problemOf?: (data: unknown) => ChairsideError | undefined;
  options?: RequestOptions | undefined;
};

export type TransportResponse = { status: number; headers: ResponseHeaders; data: unknown };

/** Sends requests: the only part of the client that knows the credential. */
export type Transport = {
  runtime: Runtime;
  send(request: Request): Promise<TransportResponse>;
  /** If the rate limit is nearly used up, waits for the end of the window. */
  waitForRateLimit(options: RequestOptions): Promise<void>;
};

const queryText = (value: Exclude<QueryValue, undefined>): string =>
  value instanceof Date ? value.toISOString() : String(value);

const urlOf = ({ baseUrl }: Settings, { path, query = {} }: Request): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value instanceof Date && Number.isNaN(value.getTime()))
      throw invalid(`\`${name}\` is not a valid date.`);
    if (value !== undefined) parameters.set(name, queryText(value));
  }
  const text = parameters.toString();
  const separator = path.includes('?') ? '&' : '?';
  const url = baseUrl + path + (text === '' ? '' : separator + text);
  // Without this check, an id such as `..` would lead to another path.
  if (/^\/[^/]/.test(path) && new URL(url).href === url) return url;
  throw invalid('A path must begin with a slash and be percent-encoded.');
};

const headersOf = (settings: Settings, { headers = {}, body, options }: Request): Record<string, string> => {
  const all: Record<string, string> = { ...settings.headers };
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    // Without this check, `fetch` would throw an error that looks like a network failure.
    if (typeof value !== 'string' || !/^[ -~]+$/.test(value)) {
      throw invalid(`The header ${name} must be printable ASCII.`);
    }
    all[name] = value;
  }
  if (options?.background) all['x-background'] = '1';
  if (body !== undefined) all['content-type'] = 'application/json';
  return all;
};

/** @throws {ChairsideError} InvalidArgument */
export const jsonOf = (body: unknown): string => {
  try {
    return JSON.stringify(body);
  } catch {
    throw invalid('The body cannot be JSON: it refers to itself, or has a BigInt.');
  }
};

const readBody = ({ status, headers }: FetchedResponse, text: string): unknown => {
  if (status === 204 || status === 304) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw unexpectedResponse(status, headers.get('x-request-id') ?? undefined);
  }
};

export const createTransport = (settings: Settings, runtime: Runtime): Transport => {
  const { host } = settings;
  let limit: RateLimit | undefined;

  /** Sends the request once, without a timeout. @param onHeaders is called when the headers have arrived */
  const exchange = async (
    url: string,
    init: FetchInit,
    onHeaders: (headers: ResponseHeaders) => void,
  ): Promise<TransportResponse> => {
    const response = await settings.fetch(url, init);
    onHeaders(response.headers);
    const text = await response.text();
    const { status, headers } = response;
    limit = rateLimitOf(headers, runtime.now()) ?? limit;
    if (status !== 304 && (status < 200 || status > 299)) throw errorOf(response, text, runtime.now());
    return { status, headers, data: readBody(response, text) };
  };

  /** Sends the request once. */
  const attempt = async (
    url: string,
    init: Omit<FetchInit, 'redirect' | 'signal'>,
    timeout: number,
    signal: Signal | undefined,
  ): Promise<TransportResponse> => {
    const { controller, release } = followSignal(signal);
    let requestId: string | undefined;
    const timer = setTimeout(() => controller.abort(timeoutError(host, timeout, requestId)), timeout);
    const { promise: ended, stop } = abortOf(controller.signal);
    try {
      // The race ends the attempt even if `fetch` ignores the signal.
      return await Promise.race([
        exchange(
          url,
          { ...settings.init, ...init, redirect: 'manual', signal: controller.signal },
          (headers) => {
            requestId = headers.get('x-request-id') ?? undefined;
          },
        ),
        ended,
      ]);
    } catch (error) {
      if (controller.signal.aborted) throw controller.signal.reason;
      throw error instanceof ChairsideError ? error : connectionError(host, error, requestId);
    } finally {
      clearTimeout(timer);
      stop();
      release();
    }
  };

  /**
   * How long to wait before the next attempt, in milliseconds.
   *
   * @throws the error, if there is no next attempt
   */
  const waitAfter = (error: unknown, request: Request, count: number, retry: RetryPolicy): number => {
    if (!(error instanceof ChairsideError)) throw error;
    if (isUncertain(error)) request.onUncertain?.();
    const wait = retryDelay(error, count, request.isRepeatable, retry, runtime.random());
    if (wait === undefined) throw error;
    return wait;
  };

  return {
    runtime,

    async send(request) {
      const { method, options = {} } = request;
      const { signal } = options;
      const retry = readRetry(options.retry, settings.retry);
      const timeout = readTimeout(options.timeout, settings.timeout);
      const url = urlOf(settings, request);
      const headers = headersOf(settings, request);
      const body = request.body === undefined ? {} : { body: jsonOf(request.body) };
      for (let count = 1; ; count++) {
        if (signal?.aborted) throw signal.reason;
        try {
          const response = await attempt(url, { method, headers, ...body }, timeout, signal);
          const problem = request.problemOf?.(response.data);
          if (problem === undefined) return response;
          throw problem;
        } catch (error) {
          await runtime.sleep(waitAfter(error, request, count, retry), signal);
        }
      }
    },

    async waitForRateLimit({ signal }) {
      const wait = waitForLimit(limit, runtime.now());
      if (wait > 0) await runtime.sleep(wait * (1 + runtime.random() / 20), signal);
    },
  };
};

/** Whether the service may have executed the request although no response confirms it. */
const isUncertain = (error: ChairsideError): boolean =>
  error.status === undefined ? !isUnsent(error) : error.status >= 500;

const abortOf = (signal: AbortSignal) => {
  let stop = () => {};
  const promise = new Promise<never>((_, reject) => {
    const end = () => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
    stop = () => signal.removeEventListener('abort', end);
  });
  promise.catch(() => {});
  return { promise, stop };
};
