import type { ResourceLimit } from '@chairside/domain';
import { ServiceError } from '@chairside/domain';
import { RETRY_AFTER, siteOf } from '@chairside/http-server';
import { beyondFullQueue, createFairQueue, refusalOfFullQueue } from '@chairside/work';
import { createPrincipals, type Principals } from './principals.ts';
import { isSecretRefused } from './refused-secret.ts';

/** A response of the api with its complete body. */
export type ApiResponse = { status: number; body: unknown; retryAfter: string | null };

/** One page of a list, and where the next page begins. */
export type ApiPage = ApiResponse & { nextCursor: string | null };

/**
 * The requests that the dashboard itself sends to the api, in addition to the requests that it forwards. Those for a
 * caller throw {@link ApiUnreachable} if no response arrives, and a refusal if too many requests wait: TooManyRequests
 * if they are of the caller's network, otherwise ServiceUnavailable.
 */
export type Api = {
  signIn(caller: Caller, credentials: unknown): Promise<ApiResponse>;
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
    body?: unknown,
    { timeout = TIMEOUT_MS, signal }: { timeout?: number; signal?: AbortSignal | undefined } = {},
  ): Promise<Response> => {
    try {
      return await fetch(url + path, {
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.any([AbortSignal.timeout(timeout), ...(signal === undefined ? [] : [signal])]),
      });
    } catch (cause) {
      throw new ApiUnreachable('The api does not respond.', { cause });
    }
  };
  type Sent = { token?: string; body?: unknown; signal?: AbortSignal };
  const callFor = async (caller: Caller, method: string, path: string, sent: Sent = {}): Promise<ApiPage> => {
    try {
      return await turns.run(siteOf(caller.address), () => callInTurn(caller, method, path, sent));
    } catch (error) {
      throw refusalOfFullQueue(error, {
        what: 'requests',
        whose: 'network',
        retryAfter: RETRY_AFTER,
        limit: 'dashboard_own_requests_waiting',
      });
    }
  };
  const callInTurn = async (
    caller: Caller,
    method: string,
    path: string,
    { token, body, signal }: Sent,
  ): Promise<ApiPage> => {
    const authorization = token === undefined ? {} : { authorization: `Token ${token}` };
    const headers = { ...proxyHeaders(secret, caller), ...authorization };
    const response = await call(method, path, headers, body, { signal });
    if (token !== undefined) principals.learn(token, response.headers.get('x-principal'));
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
  return {
    signIn: (caller, body) => callFor(caller, 'POST', '/api/sessions', { body }),
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
    principals,
    async readiness() {
      const headers = proxyHeaders(secret, { address: '127.0.0.1', userAgent: undefined });
      const response = await call('GET', '/health/ready', headers, undefined, {
        timeout: READINESS_TIMEOUT_MS,
      });
      await response.body?.cancel();
      return response.status;
    },
  };
};
