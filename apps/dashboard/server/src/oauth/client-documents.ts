import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '@chairside/domain';
import { Agent, buildConnector, fetch as undiciFetch } from 'undici';

/** Requests a document of a client. */
export type FetchDocument = typeof fetch;

type Address = { address: string; family: number };

/** The address of the document is not on the public internet. */
class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
}

/** How long a connection may take, in milliseconds. oidc-provider ends the whole request after 2.5 s. */
const CONNECT_TIMEOUT = 2000;

/**
 * A fetch that connects to addresses of the public internet only. The address is checked that is connected to, so a name
 * that changes its address gains nothing. A name with one other address is refused, because the choice is random.
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
  const dial = buildConnector({ timeout: CONNECT_TIMEOUT, lookup: publicLookup });
  const agent = new Agent({
    maxHeaderSize: 16_384,
    connect(options, callback) {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      // An address is not looked up.
      if (options.protocol !== 'https:' || (isIP(host) !== 0 && !isPublicAddress(host)))
        return callback(new BlockedAddressError('The document is not on the public internet.'), null);
      dial(options, callback);
    },
  });
  return {
    fetch: ((url: string, options: object) =>
      undiciFetch(url, { ...options, redirect: 'error', dispatcher: agent })) as unknown as FetchDocument,
    close: () => agent.destroy(),
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
