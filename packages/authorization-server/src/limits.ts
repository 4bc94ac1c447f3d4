import { clock, Refusal, type ResourceLimit } from '@chairside/domain';
import { siteOf } from '@chairside/http-server';
import type { Limit, OAuthStore } from '@chairside/mongodb/oauth';
import { LRUCache } from 'lru-cache';
import { OPERATIONS } from './turns.ts';
import { orUnavailable } from './unavailable.ts';

const HOUR = 3600;
const MINUTE = 60;

/** The largest body of a request, in bytes. */
export const MAX_BODY_BYTES = 16_384;
/** Maximum number of parameters of an authorization request. The standards define about thirty. */
export const MAX_PARAMETERS = 50;

const REGISTRATIONS: Limit = { name: 'register', most: 20, seconds: HOUR };
/**
 * Maximum number of stored clients that nobody has connected yet. When it is reached, an older client is deleted and
 * the new one is accepted. So strangers with many networks cannot keep an honest app from registering.
 */
const MAX_UNUSED_CLIENTS = 5000;
const AUTHORIZATIONS: Limit = { name: 'authorize', most: 60, seconds: MINUTE };
const DOCUMENTS: Limit = { name: 'document', most: 20, seconds: MINUTE };
/** Limits of concurrent fetches of documents. Networks take turns. */
export const DOCUMENT_FETCHES = { atOnce: 16, atOnceOfCaller: 4, maxWaiting: 200 };

/**
 * Refused requests of the token endpoint. They are counted afterwards, so this limit does not affect valid requests.
 */
const REJECTIONS: Limit = { name: 'rejected', most: 300, seconds: MINUTE };

/** How many callers that have exceeded a limit a process remembers. */
const MAX_EXCEEDED = 10_000;

const PART = 'Connected apps';
const BEYOND_FULL_QUEUE =
  '429 temporarily_unavailable for a network that has its share, otherwise 503 temporarily_unavailable';

export const oauthLimits: readonly ResourceLimit[] = [
  {
    id: 'registrations',
    part: PART,
    resource: 'Registrations of apps from one network (an IPv4 address, or an IPv6 /48)',
    value: REGISTRATIONS.most,
    unit: 'per hour',
    beyond: '429 TooManyRequests',
    metric: 'chairside_dashboard_oauth_limited_total',
  },
  {
    id: 'unused_clients',
    part: PART,
    resource: 'Registered apps that no administrator has connected yet',
    value: MAX_UNUSED_CLIENTS,
    unit: 'apps',
    beyond: 'the oldest such app of the network with the most such apps is deleted',
    metric: 'chairside_dashboard_oauth_limited_total',
  },
  {
    id: 'authorization_parameters',
    part: PART,
    resource: 'Parameters of an authorization request',
    value: MAX_PARAMETERS,
    unit: 'parameters',
    beyond: '400 BadRequest',
  },
  {
    id: 'authorization_body',
    part: PART,
    resource: 'Body of a request to the authorization server',
    value: MAX_BODY_BYTES / 1024,
    unit: 'KiB',
    beyond: '413 PayloadTooLarge',
  },
  {
    id: 'authorizations',
    part: PART,
    resource: 'Authorizations that begin from one network',
    value: AUTHORIZATIONS.most,
    unit: 'per minute',
    beyond: '429 TooManyRequests',
    metric: 'chairside_dashboard_oauth_limited_total',
  },
  {
    id: 'authorization_operations',
    part: PART,
    resource: 'Database operations of the authorization server, without introspection',
    value: OPERATIONS.atOnce,
    unit: 'at once in each process',
    beyond: 'the operation waits; networks take turns',
  },
  {
    id: 'authorization_operations_of_network',
    part: PART,
    resource: 'Database operations of the authorization server for one network',
    value: OPERATIONS.atOnceOfCaller,
    unit: 'at once in each process',
    beyond: 'the operation waits; networks take turns',
  },
  {
    id: 'authorization_operations_waiting',
    part: PART,
    resource: 'Database operations of the authorization server that wait for their turn',
    value: OPERATIONS.maxWaiting,
    unit: 'in each process',
    beyond: BEYOND_FULL_QUEUE,
  },
  {
    id: 'token_rejections',
    part: PART,
    resource: 'Requests of the token endpoint with invalid tokens or credentials from one network',
    value: REJECTIONS.most,
    unit: 'per minute',
    beyond: '429 temporarily_unavailable instead of 400 or 401',
    metric: 'chairside_dashboard_oauth_limited_total',
  },
  {
    id: 'client_documents',
    part: PART,
    resource: 'Documents of apps without a connection that are fetched for one network',
    value: DOCUMENTS.most,
    unit: 'per minute',
    beyond: '429 temporarily_unavailable',
    metric: 'chairside_dashboard_oauth_limited_total',
  },
  {
    id: 'document_fetches',
    part: PART,
    resource: 'Documents of apps that are being fetched',
    value: DOCUMENT_FETCHES.atOnce,
    unit: 'at once in each process',
    beyond: 'the fetch waits; networks take turns',
  },
  {
    id: 'document_fetches_of_network',
    part: PART,
    resource: 'Documents of apps that are being fetched for one network',
    value: DOCUMENT_FETCHES.atOnceOfCaller,
    unit: 'at once in each process',
    beyond: 'the fetch waits; networks take turns',
  },
  {
    id: 'document_fetches_waiting',
    part: PART,
    resource: 'Fetches of documents that wait for their turn',
    value: DOCUMENT_FETCHES.maxWaiting,
    unit: 'in each process',
    beyond: BEYOND_FULL_QUEUE,
  },
];

/** Limits on what unauthenticated callers can make the authorization server store or fetch. */
export type Admission = {
  /** @throws {Refusal} TooManyRequests */
  register(address: string): Promise<void>;
  /** @throws {Refusal} TooManyRequests */
  authorize(address: string): Promise<void>;
  /**
   * Counts a refused request of the token endpoint.
   *
   * @returns the seconds to wait if the network has too many; otherwise undefined
   */
  reject(address: string | undefined): Promise<number | undefined>;
  /**
   * Counts a fetch of the document of a client without a connection.
   *
   * @returns the seconds to wait if the network has too many; otherwise undefined
   */
  fetchDocument(address: string | undefined): Promise<number | undefined>;
};

/**
 * @param limited called with the name of each limit that is exceeded
 * @param now the time that decides which period a request counts in
 */
export const createAdmission = (
  { limits, clients }: Pick<OAuthStore, 'limits' | 'clients'>,
  limited: (name: string) => void,
  now: () => Date = clock.now,
): Admission => {
  /**
   * When the period of a caller that has exceeded a limit ends. Until then, its calls are refused without the database.
   */
  const exceeded = new LRUCache<string, number>({ max: MAX_EXCEEDED });
  /** Counts the call. Returns the seconds to wait, or undefined if the call is within the limit. */
  const wait = async (limit: Limit, caller: string): Promise<number | undefined> => {
    const key = `${limit.name} ${caller}`;
    const left = Math.ceil(((exceeded.get(key) ?? 0) - performance.now()) / 1000);
    const seconds = left > 0 ? left : await orUnavailable(limits.count(limit, caller, now()));
    if (seconds === undefined) return undefined;
    if (left <= 0) exceeded.set(key, performance.now() + seconds * 1000);
    limited(limit.name);
    return seconds;
  };
  const admit = async (limit: Limit, caller: string, what: string): Promise<void> => {
    const retryAfter = await wait(limit, caller);
    if (retryAfter === undefined) return;
    throw new Refusal('TooManyRequests', `Too many ${what}. Try again in ${retryAfter} s.`, { retryAfter });
  };
  return {
    async register(address) {
      // For IPv6, the network is a /48, because providers may give a single customer that much (RFC 6177).
      await admit(REGISTRATIONS, siteOf(address), 'registrations');
      if (await orUnavailable(clients.makeRoom(MAX_UNUSED_CLIENTS))) limited('unused_clients');
    },
    authorize: (address) => admit(AUTHORIZATIONS, siteOf(address), 'authorizations'),
    reject: (address) => wait(REJECTIONS, siteOf(address)),
    fetchDocument: (address) => wait(DOCUMENTS, siteOf(address)),
  };
};
