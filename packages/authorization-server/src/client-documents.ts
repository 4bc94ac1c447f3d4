import { createFairQueue, fullQueueBehind } from '@chairside/concurrency';
import { clock, ServiceError } from '@chairside/domain';
import { siteOf } from '@chairside/http-server';
import type { OAuthStore } from '@chairside/mongodb/oauth';
import { BlockedAddressError } from '@chairside/network';
import { LRUCache } from 'lru-cache';
import { type Client, errors } from 'oidc-provider';
import { callers } from './callers.ts';
import type { FetchDocument } from './document-fetch.ts';
import { type Admission, DOCUMENT_FETCHES } from './limits.ts';
import { narrowedText } from './registration.ts';
import { stored, TemporarilyUnavailable } from './unavailable.ts';

/** The kind under which the last valid document of a client is stored. */
export const DOCUMENT_KIND = 'ClientDocument';
/**
 * How long a connected client, or its document, stays stored after the last token was issued or the last document was
 * fetched.
 */
export const USED_CLIENT_LIFE_MS = 90 * 24 * 60 * 60 * 1000;
/** The largest document, in bytes. oidc-provider has the same limit. */
const MAX_DOCUMENT_BYTES = 5 * 1024;
/** How long a fetch may take. */
const FETCH_TIMEOUT_MS = 2500;
/** How long the document of a client is stored if no administrator connects the client. */
const UNCONNECTED_LIFE_MS = 60 * 60 * 1000;
/**
 * How long a failure is remembered. During this time, further requests for the client from the same network fail without
 * another fetch. Other networks fetch the document themselves, because the failure may be due to the network: its fetches
 * and lookups wait for their turn, and may end too late.
 */
export const FAILURE_LIFE_MS = 30_000;
const MAX_FAILURES = 1000;

/** The documents by which clients identify themselves. Their client id is the URL of the document. */
export type ClientDocuments = {
  /**
   * Whether oidc-provider may fetch a document.
   *
   * @throws {TemporarilyUnavailable} if the network of the caller has caused too many fetches
   */
  mayFetch(clientId: string): Promise<boolean>;
  /**
   * Fetches a document for oidc-provider. If the fetch fails, but a later one may succeed, returns the last valid
   * document of a connected client.
   */
  fetch: FetchDocument;
  /**
   * Finds a client, and stores its document if it was fetched and is valid.
   *
   * @param find oidc-provider's function
   * @throws {TemporarilyUnavailable} while the document is unreachable. oidc-provider would call the client invalid,
   *   and apps then drop their connection. Throws the error of oidc-provider if the document is invalid
   */
  find(clientId: string, find: () => Promise<Client | undefined>): Promise<Client | undefined>;
};

/** The host of the document responds, but cannot return it at the moment. */
class HostUnableError extends ServiceError {
  override readonly name = 'HostUnableError';
}

/** The document is larger than the limit. */
class TooLargeError extends ServiceError {
  override readonly name = 'TooLargeError';
}

/**
 * Whether another request for the same document would fail in the same way. A name inside the network of the service is
 * treated like a name that cannot be resolved. Otherwise strangers could learn which names exist there.
 */
const isLasting = (error: Error): boolean =>
  (error instanceof BlockedAddressError && !error.isOfName) ||
  error instanceof SyntaxError ||
  error instanceof TooLargeError ||
  (error.cause instanceof Error && isLasting(error.cause));

/** Whether a later request may succeed. The client must then not be treated as unknown. */
const mayReturn = ({ cause }: Error): boolean => cause instanceof Error && !isLasting(cause);

/** Whether oidc-provider could not read a document, or found that it is invalid. */
const isInvalid = (error: unknown): error is Error =>
  error instanceof errors.InvalidClient || error instanceof errors.InvalidClientMetadata;

/**
 * Whether a client may identify itself with the document at this URL.
 *
 * @param hosts the value of OAUTH_CLIENT_HOSTS; empty: every host
 */
export const isAllowedHost = (clientId: string, hosts: readonly string[]): boolean => {
  const url = URL.parse(clientId);
  return url !== null && (hosts.length === 0 || hosts.includes(url.host));
};

/**
 * Reads the body of a response.
 *
 * @throws {TooLargeError}
 */
const readDocument = async (response: Response): Promise<string> => {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    // Leaving the loop cancels the body.
    if (size > MAX_DOCUMENT_BYTES) throw new TooLargeError('The document is too large.');
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
};

/**
 * @param options.hosts the value of OAUTH_CLIENT_HOSTS
 * @param options.fetchDocument sends the request
 * @param options.failureLifeMs how long a failure is remembered; 0: not at all
 */
export const createClientDocuments = ({
  store: { state, grants },
  admission,
  hosts,
  fetchDocument,
  failureLifeMs,
}: {
  store: OAuthStore;
  admission: Pick<Admission, 'fetchDocument'>;
  hosts: readonly string[];
  fetchDocument: FetchDocument;
  failureLifeMs: number;
}): ClientDocuments => {
  const failures = new LRUCache<string, Error>({ max: MAX_FAILURES, ttl: failureLifeMs || 1 });
  /** The texts that were fetched and that oidc-provider has not checked yet. */
  const fetched = new Map<string, string>();
  const turns = createFairQueue(DOCUMENT_FETCHES);

  const isConnected = (clientId: string): Promise<boolean> => stored(grants.hasClient(clientId, clock.now()));

  const request = async (url: string, options: object): Promise<Response> => {
    const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
    const response = await fetchDocument(url, { ...options, signal });
    const { status, headers } = response;
    if (status === 200) {
      const text = narrowedText(await readDocument(response));
      fetched.set(url, text);
      return new Response(text, { headers });
    }
    await response.body?.cancel();
    if (status === 429 || status >= 500)
      throw new HostUnableError(`the host of the document responds with ${status}`);
    return new Response(null, { status });
  };

  /** The last valid document of a client; undefined if the client is not connected, or no document is stored. */
  const lastGood = async (url: string): Promise<string | undefined> => {
    if (!(await isConnected(url))) return undefined;
    const found = await stored(state.find(DOCUMENT_KIND, url, clock.now()));
    return found?.payload.text as string | undefined;
  };

  const keep = async (clientId: string, text: string): Promise<void> => {
    const life = (await isConnected(clientId)) ? USED_CLIENT_LIFE_MS : UNCONNECTED_LIFE_MS;
    const expireAt = new Date(clock.now().getTime() + life);
    await stored(state.save(DOCUMENT_KIND, clientId, { text }, { expireAt }));
  };

  return {
    async mayFetch(clientId) {
      if (!isAllowedHost(clientId, hosts)) return false;
      // Connected clients are few, and oidc-provider caches the document of each for at least 30 s.
      if (await isConnected(clientId)) return true;
      const caller = callers.getStore();
      const seconds = await admission.fetchDocument(caller?.address);
      if (seconds === undefined) return true;
      if (caller !== undefined) caller.retryAfter = seconds;
      throw new TemporarilyUnavailable(
        new ServiceError('the limit of client documents of a network is exceeded'),
        true,
      );
    },

    async fetch(address, options = {}) {
      const url = String(address);
      try {
        return await turns.run(siteOf(callers.getStore()?.address), () => request(url, options));
      } catch (error) {
        if (error instanceof Error && isLasting(error)) throw error;
        const text = await lastGood(url);
        if (text === undefined) throw error;
        return new Response(text);
      }
    },

    async find(clientId, find) {
      const name = `${siteOf(callers.getStore()?.address)} ${clientId}`;
      const failure = failures.get(name);
      if (failure !== undefined) throw failure;
      try {
        const client = await find();
        const text = fetched.get(clientId);
        if (text !== undefined) await keep(clientId, text);
        return client;
      } catch (error) {
        if (!isInvalid(error)) throw error;
        const failed = mayReturn(error) ? new TemporarilyUnavailable(error) : error;
        // A full queue says nothing about the document.
        if (failureLifeMs > 0 && fullQueueBehind(error) === undefined) failures.set(name, failed);
        throw failed;
      } finally {
        fetched.delete(clientId);
      }
    },
  };
};
