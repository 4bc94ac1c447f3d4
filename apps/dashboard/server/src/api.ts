import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { beyondFullQueue, createFairQueue, refusalOfFullQueue } from '@chairside/concurrency';
import type { ResourceLimit } from '@chairside/domain';
import { ServiceError } from '@chairside/domain';
import { RETRY_AFTER, siteOf } from '@chairside/http-server';
import { createPrincipals, type Principals } from './principals.ts';
import { isSecretRefused } from './refusals.ts';

/** A response of the api with its complete body. */
export type ApiResponse = { status: number; body: unknown; retryAfter: string | null };

/** One page of a list, and where the next page begins. */
export type ApiPage = ApiResponse & { nextCursor: string | null };

/** A response of the api whose body is read while it arrives. */
type ApiStream = { status: 200; stream: Readable };

/**
 * The requests that the dashboard itself sends to the api, in addition to the requests that it forwards. Those for a
 * caller throw {@link ApiUnreachable} if no response arrives, and a refusal if too many requests wait: TooManyRequests
 * if they are of the caller's network, otherwise ServiceUnavailable.
 */
export type Api = {
  signIn(caller: Caller, credentials: unknown): Promise<ApiResponse>;
  answerChallenge(caller: Caller, answer: unknown): Promise<ApiResponse>;
  signOut(caller: Caller, token: string): Promise<ApiResponse>;
  currentSession(caller: Caller, token: string): Promise<ApiResponse>;
  /** Sends a request that needs no session. */
  open(caller: Caller, method: string, path: string, body: unknown): Promise<ApiResponse>;
  /**
   * Reads one page of a list.
   *
   * @param path the path of the list, with its query
   * @param signal aborts the request when its response is no longer needed
   */
  page(caller: Caller, token: string, path: string, signal: AbortSignal): Promise<ApiPage>;
  /**
   * Requests a response that may be long. Only its headers must arrive in time.
   *
   * @param signal aborts the request, and the body, when the response is no longer needed
   * @returns the response of the api with its complete body, if its status is not 200
   */
  stream(caller: Caller, token: string, path: string, signal: AbortSignal): Promise<ApiResponse | ApiStream>;
  /** Returns the status of the api's readiness check, which also checks the secret of the dashboard. */
  readiness(): Promise<number>;
  /**
   * Learns the operator and the organization of an access token, unless they are known. Otherwise one organization could
   * use the places of others with sessions that nobody has seen before.
   *
   * @returns undefined, or the refusal of the api
   */
  identify(caller: Caller, token: string): Promise<ApiResponse | undefined>;
  /** The operators and organizations of the access tokens, as far as responses of the api have shown them. */
  principals: Principals;
};

/** The caller that the api counts and audits: the browser, not the dashboard. */
export type Caller = {
  address: string;
  userAgent: string | undefined;
  /** Whether a page sent the request by itself. Such a request does not keep the session alive. */
  isBackground?: boolean;
  /** Whether the rows of the response become a file. The api audits this. */
  isDownload?: boolean;
};

/** No complete response of the api has arrived, or the api refused the secret of the dashboard. */
export class ApiUnreachable extends ServiceError {
  override readonly name: string = 'ApiUnreachable';
}

/** The api's secret differs from the dashboard's. The log contains the name of this error. */
export class ProxySecretRefused extends ApiUnreachable {
  override readonly name = 'ProxySecretRefused';
}

/** Requests that the dashboard itself sends to the api, such as those about its sessions. */
const OWN_REQUESTS = { atOnce: 64, atOnceOfCaller: 16, maxWaiting: 1000 };

const part = 'Dashboard';
export const ownRequestLimits: readonly ResourceLimit[] = [
  {
    id: 'dashboard_own_requests',
    part,
    resource: 'Requests of the dashboard itself to the api, for sessions, consent and downloads',
    value: OWN_REQUESTS.atOnce,
    unit: 'at once in each process',
    beyond: 'the request waits; networks take turns',
  },
  {
    id: 'dashboard_own_requests_of_network',
    part,
    resource: 'Requests of the dashboard itself to the api for one network',
    value: OWN_REQUESTS.atOnceOfCaller,
    unit: 'at once in each process',
    beyond: 'the request waits; networks take turns',
  },
  {
    id: 'dashboard_own_requests_waiting',
    part,
    resource: 'Requests of the dashboard itself to the api that wait for their turn',
    value: OWN_REQUESTS.maxWaiting,
    unit: 'in each process',
    beyond: beyondFullQueue('a network'),
  },
];

/**
 * How long the api may take for a response. A sign-in may have to wait until the passwords of other sign-ins are
 * hashed.
 */
const TIMEOUT_MS = 15_000;
/** How long the api may take for its readiness check. */
const READINESS_TIMEOUT_MS = 3000;

/**
 * The headers that authenticate the dashboard to the api and describe the caller of a request.
 *
 * @param secret the value of PROXY_SECRET
 */
export const proxyHeaders = (
  secret: string,
  { address, userAgent, isBackground = false, isDownload = false }: Caller,
): Record<string, string> => ({
  'x-proxy-secret': secret,
  'x-forwarded-for': address,
  ...(userAgent !== undefined && { 'user-agent': userAgent }),
  ...(isBackground && { 'x-background': '1' }),
  ...(isDownload && { 'x-download': '1' }),
});

/**
 * @param url the origin of the api
 * @param secret the value of PROXY_SECRET
 */
export const createApi = (url: string, secret: string): Api => {
  const principals = createPrincipals();
  const turns = createFairQueue(OWN_REQUESTS);
  const call = async (
    method: string,
    path: string,
    headers: Record<string, string>,
    body: unknown,
    signal: AbortSignal,
  ): Promise<Response> => {
    try {
      return await fetch(url + path, {
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: 'error',
        signal,
      });
    } catch (cause) {
      throw new ApiUnreachable('The api does not respond.', { cause });
    }
  };
  type Sent = { token?: string; body?: unknown; signal?: AbortSignal };
  const inTurn = async <T>({ address }: Caller, work: () => Promise<T>): Promise<T> => {
    try {
      return await turns.run(siteOf(address), work);
    } catch (error) {
      throw refusalOfFullQueue(error, {
        what: 'requests',
        whose: 'network',
        retryAfter: RETRY_AFTER,
        limit: 'dashboard_own_requests_waiting',
      });
    }
  };
  const send = async (
    caller: Caller,
    method: string,
    path: string,
    { token, body }: Sent,
    signal: AbortSignal,
  ): Promise<Response> => {
    const authorization = token === undefined ? {} : { authorization: `Token ${token}` };
    const headers = { ...proxyHeaders(secret, caller), ...authorization };
    const response = await call(method, path, headers, body, signal);
    if (token !== undefined) principals.learn(token, response.headers.get('x-principal'));
    return response;
  };
  const read = async (response: Response): Promise<ApiPage> => {
    const json: unknown = await response.json().catch((cause: unknown) => {
      throw new ApiUnreachable('The response of the api is incomplete.', { cause });
    });
    if (response.status === 403 && isSecretRefused(json)) throw new ProxySecretRefused();
    return {
      status: response.status,
      body: json,
      retryAfter: response.headers.get('retry-after'),
      nextCursor: response.headers.get('x-next-cursor'),
    };
  };
  const callFor = (caller: Caller, method: string, path: string, sent: Sent = {}): Promise<ApiPage> =>
    inTurn(caller, async () => {
      const ends = [AbortSignal.timeout(TIMEOUT_MS), ...(sent.signal === undefined ? [] : [sent.signal])];
      return read(await send(caller, method, path, sent, AbortSignal.any(ends)));
    });
  /** Does something in time. Its signal is not aborted any more when it is done, however long its result is used. */
  const inTime = async <T>(work: (late: AbortSignal) => Promise<T>): Promise<T> => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), TIMEOUT_MS);
    try {
      return await work(late.signal);
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    signIn: (caller, body) => callFor(caller, 'POST', '/api/sessions', { body }),
    answerChallenge: (caller, body) => callFor(caller, 'POST', '/api/sessions/challenge', { body }),
    signOut: (caller, token) => callFor(caller, 'DELETE', '/api/sessions/current', { token }),
    currentSession: (caller, token) => callFor(caller, 'GET', '/api/sessions/current', { token }),
    open: (caller, method, path, body) => callFor(caller, method, path, { body }),
    async identify(caller, token) {
      if (principals.knows(token)) return undefined;
      const response = await callFor(caller, 'GET', '/api/sessions/current', { token });
      // The response names the principal also if the operator must choose a password first.
      return response.status === 200 || principals.knows(token) ? undefined : response;
    },
    page: (caller, token, path, signal) => callFor(caller, 'GET', path, { token, signal }),
    stream: (caller, token, path, signal) =>
      inTurn(caller, () =>
        inTime(async (late) => {
          const response = await send(caller, 'GET', path, { token }, AbortSignal.any([late, signal]));
          if (response.status !== 200 || response.body === null) return read(response);
          return { status: 200, stream: Readable.fromWeb(response.body as ReadableStream) };
        }),
      ),
    principals,
    async readiness() {
      const headers = proxyHeaders(secret, { address: '127.0.0.1', userAgent: undefined });
      const late = AbortSignal.timeout(READINESS_TIMEOUT_MS);
      const response = await call('GET', '/health/ready', headers, undefined, late);
      await response.body?.cancel();
      return response.status;
    },
  };
};
