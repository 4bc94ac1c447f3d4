import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '@chairside/domain';
import { type Configuration, errors, type Provider } from 'oidc-provider';
import { Agent, buildConnector, fetch as undiciFetch } from 'undici';
import { TemporarilyUnavailable } from './unavailable.ts';

/** Requests the metadata document of a client. */
export type FetchDocument = NonNullable<Configuration['fetch']>;

type Address = { address: string; family: number };

/** The address of the document is not on the public internet. */
class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
}

/** How long a connection may take. oidc-provider ends the whole request after 2.5 s. */
const CONNECT_TIMEOUT_MS = 2000;

/**
 * A fetch that connects only to addresses of the public internet. It checks the same address that it connects to, so a
 * DNS name that changes its address in between gains nothing. A name with any non-public address is refused, because
 * the resolver may choose any of the addresses.
 *
 * @param resolve returns all addresses of a name
 */
export const createDocumentFetch = (
  resolve: (host: string) => Promise<Address[]> = (host) => lookup(host, { all: true }),
): { fetch: FetchDocument; close(): Promise<void> } => {
  const publicLookup: LookupFunction = (host, { all }, done) => {
    resolve(host).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address)))
          return done(new BlockedAddressError('The document is not on the public internet.'), '', 0);
        return all ? done(null, addresses) : done(null, first.address, first.family);
      },
      (error: Error) => done(error, '', 0),
    );
  };
  const dial = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: publicLookup });
  const agent = new Agent({
    maxHeaderSize: 16_384,
    connect(options, callback) {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      // undici does not call `lookup` for an IP address, so the address is checked here.
      if (options.protocol !== 'https:' || (isIP(host) !== 0 && !isPublicAddress(host)))
        return callback(new BlockedAddressError('The document is not on the public internet.'), null);
      dial(options, callback);
    },
  });
  return {
    // The cast is needed, because the global types belong to another version of undici.
    fetch: ((url: string, options: object) =>
      undiciFetch(url, { ...options, redirect: 'manual', dispatcher: agent })) as FetchDocument,
    close: () => agent.destroy(),
  };
};

/** Whether another request for the same document would fail in the same way. */
const isLasting = ({ name, message, cause }: Error): boolean =>
  name === BlockedAddressError.name ||
  name === SyntaxError.name ||
  message === 'response too large' ||
  (cause instanceof Error && isLasting(cause));

/** Whether a later request may succeed. The client must then not be treated as unknown. */
const mayReturn = (error: unknown): boolean =>
  error instanceof errors.InvalidClient && error.cause instanceof Error && !isLasting(error.cause);

/**
 * Throws if the host cannot return the document at the moment. An error is needed, because oidc-provider keeps the
 * cause of a failure, but not the status of a response.
 */
export const failingIfUnable =
  (fetchDocument: FetchDocument): FetchDocument =>
  async (...request) => {
    const response = await fetchDocument(...request);
    const { status } = response;
    if (status !== 429 && status < 500) return response;
    await response.body?.cancel();
    throw new Error(`the host of the document responds with ${status}`);
  };

/**
 * Makes oidc-provider respond with 503 while the document of a client is unreachable. Otherwise it would call the
 * client invalid, and apps then drop their connection.
 */
export const keepUnreachableClients = ({ Client }: Provider): void => {
  const find = Client.find.bind(Client);
  Client.find = async (id) => {
    try {
      return await find(id);
    } catch (error) {
      throw mayReturn(error) ? new TemporarilyUnavailable(error) : error;
    }
  };
};

/**
 * Whether a client may identify itself with this document.
 *
 * @param hosts the value of OAUTH_CLIENT_HOSTS; empty: every host
 */
export const isAllowedHost = (clientId: string, hosts: readonly string[]): boolean => {
  const url = URL.parse(clientId);
  return url !== null && (hosts.length === 0 || hosts.includes(url.host));
};
