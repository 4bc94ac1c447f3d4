import { invalid } from './errors.ts';
import type { Fetch, FetchInit, Signal } from './globals.ts';
import { DEFAULT_RETRY, type RetryOptions, type RetryPolicy } from './retry.ts';
import { MAX_TIMEOUT_MS } from './runtime.ts';

/**
 * The options of a client, except the credential.
 *
 * @example
 * const connection: ConnectionOptions = { baseUrl: 'https://api.example.com', timeout: 10_000 };
 */
export interface ConnectionOptions {
  /**
   * The address of the api: `https`, or `http` for a loopback address. It may have a path, which becomes a
   * prefix of `/api`.
   */
  baseUrl: string | undefined;
  /** Sends the requests. Default: the `fetch` of the runtime. */
  fetch?: Fetch | undefined;
  /** How requests are sent again after a temporary failure; `false` for never. */
  retry?: RetryOptions | false | undefined;
  /** How long one attempt may take, in milliseconds, the body of the response included. Default: 60,000. */
  timeout?: number | undefined;
}

/**
 * The options of a client: an address, and exactly one credential.
 *
 * @example
 * const options: ChairsideOptions = { baseUrl: 'https://api.example.com', apiKey: 'chairside_key_…' };
 * const inDashboard: ChairsideOptions = { baseUrl: 'https://dashboard.example.com', cookie: true };
 */
export type ChairsideOptions = ConnectionOptions &
  (
    | {
        /** The secret of an API key. */
        apiKey: string | undefined;
        accessToken?: undefined;
        cookie?: undefined;
      }
    | {
        /** The access token of an operator, as `Chairside.signIn` returns it, or one for a program. */
        accessToken: string | undefined;
        apiKey?: undefined;
        cookie?: undefined;
      }
    | {
        /**
         * For pages of the dashboard. The browser sends the session cookie, only to the origin of the page. The client
         * sends no `Authorization` header.
         */
        cookie: true;
        apiKey?: undefined;
        accessToken?: undefined;
      }
  );

/**
 * The options of every call.
 *
 * @example
 * const patient = await chairside.patients.get('pat_1', { signal: AbortSignal.timeout(2000), retry: false });
 */
export interface RequestOptions {
  /** Ends the call, its retries and its waits. The call then rejects with the reason of the signal. */
  signal?: Signal | undefined;
  /** How long one attempt may take, in milliseconds. Default: that of the client. */
  timeout?: number | undefined;
  /** How the request is sent again after a temporary failure; `false` for never. Default: that of the client. */
  retry?: RetryOptions | false | undefined;
  /**
   * Whether no person caused the request, as in polling. The session of the operator then ends as if the request had not
   * been sent.
   */
  background?: boolean | undefined;
}

export type Settings = {
  baseUrl: string;
  /** The host of the api, for error messages. */
  host: string;
  fetch: Fetch;
  retry: RetryPolicy;
  timeout: number;
  headers: Readonly<Record<string, string>>;
  /** The options of `fetch` for a client with `cookie: true`. */
  init?: Pick<FetchInit, 'credentials'>;
};

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\]|.+\.localhost)$/;

const readBaseUrl = (baseUrl: unknown): URL => {
  // The messages do not contain the value, because it could contain a password.
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) {
    throw invalid('`baseUrl` must be the address of the api, such as https://api.example.com.');
  }
  const url = new URL(baseUrl);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw invalid('`baseUrl` must have no credentials, query or fragment.');
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname))) return url;
  throw invalid('`baseUrl` must begin with https://, or with http:// for loopback.');
};

const isToken = (value: unknown): value is string => typeof value === 'string' && /^[!-~]+$/.test(value);

type Credential = { apiKey?: unknown; accessToken?: unknown; cookie?: unknown };

/** The `Authorization` header for the one credential; undefined for the cookie. */
const readCredential = ({ apiKey, accessToken, cookie }: Credential): string | undefined => {
  const given = [apiKey, accessToken, cookie].filter((each) => each !== undefined);
  if (given.length !== 1 || (cookie !== undefined && cookie !== true)) {
    throw invalid('Set one of `apiKey`, `accessToken` and `cookie: true`.');
  }
  if (cookie) return undefined;
  const [name, value, wrongForm, other] =
    apiKey === undefined
      ? (['accessToken', accessToken, /^chairside_key_/, 'apiKey'] as const)
      : (['apiKey', apiKey, /^chairside_(token|program)_/, 'accessToken'] as const);
  if (!isToken(value) || (name === 'apiKey' && value.includes(':'))) {
    throw invalid(`\`${name}\` must be the secret alone, without blanks and colons.`);
  }
  if (wrongForm.test(value))
    throw invalid(`\`${name}\` has the form of an \`${other}\`. Pass it as \`${other}\`.`);
  // Basic authentication with the API key alone, without a user name and without a colon.
  return name === 'apiKey' ? `Basic ${btoa(value)}` : `Token ${value}`;
};

const readNumber = (name: string, value: number | undefined, byDefault: number, least: number): number => {
  const number = value ?? byDefault;
  if (typeof number === 'number' && number >= least && number <= MAX_TIMEOUT_MS) return number;
  throw invalid(`\`${name}\` must be a number from ${least} to ${MAX_TIMEOUT_MS}.`);
};

export const readRetry = (
  retry: RetryOptions | false | undefined,
  byDefault: RetryPolicy = DEFAULT_RETRY,
): RetryPolicy =>
  retry === false
    ? { ...byDefault, maxAttempts: 1 }
    : {
        maxAttempts: readNumber('retry.maxAttempts', retry?.maxAttempts, byDefault.maxAttempts, 1),
        maxDelay: readNumber('retry.maxDelay', retry?.maxDelay, byDefault.maxDelay, 0),
      };

export const readTimeout = (timeout: number | undefined, byDefault = 60_000): number =>
  readNumber('timeout', timeout, byDefault, 1);

declare const CHAIRSIDE_CLIENT_VERSION: string;
const version = typeof CHAIRSIDE_CLIENT_VERSION === 'string' ? CHAIRSIDE_CLIENT_VERSION : 'source';

/** @throws {ChairsideError} InvalidArgument */
export const readConnection = (options: ConnectionOptions): Settings => {
  const { baseUrl, fetch, retry, timeout } = Object(options) as ConnectionOptions;
  const url = readBaseUrl(baseUrl);
  if (fetch !== undefined && typeof fetch !== 'function') throw invalid('`fetch` must be a function.');
  return {
    baseUrl: url.href.replace(/\/+$/, ''),
    host: url.host,
    // `fetch` is looked up for each request, and called without `this`, as Workers and browsers require.
    fetch: fetch ?? ((address, init) => globalThis.fetch(address, init)),
    retry: readRetry(retry),
    timeout: readTimeout(timeout),
    headers: { accept: 'application/json', 'user-agent': `chairside-client/${version}` },
  };
};

/** @throws {ChairsideError} InvalidArgument */
export const readOptions = (options: ChairsideOptions): Settings => {
  const settings = readConnection(options);
  const authorization = readCredential(options);
  return authorization === undefined
    ? { ...settings, init: { credentials: 'same-origin' } }
    : { ...settings, headers: { ...settings.headers, authorization } };
};
