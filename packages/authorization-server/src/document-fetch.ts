import { isPublicAddress } from '@chairside/domain';
import { siteOf } from '@chairside/http-server';
import {
  BlockedAddressError,
  createFairQueue,
  dialableAddresses,
  dialOptions,
  type Resolve,
  resolveByTheSystem,
} from '@chairside/runtime';
import type { Configuration } from 'oidc-provider';
import { Agent, buildConnector, fetch as undiciFetch } from 'undici';
import { callers } from './callers.ts';
import { DOCUMENT_FETCHES } from './limits.ts';

/** Requests the metadata document of a client. */
export type FetchDocument = NonNullable<Configuration['fetch']>;

/** How long a connection may take. A fetch ends after 2.5 s. */
const CONNECT_TIMEOUT_MS = 2000;

/**
 * A fetch that connects only to addresses of the public internet. It connects to the addresses that it has checked, so
 * a change of the name's addresses in between has no effect.
 *
 * @param resolve returns all addresses of a name
 */
export const createDocumentFetch = (
  resolve: Resolve = resolveByTheSystem,
): { fetch: FetchDocument; close(): Promise<void> } => {
  // A lookup keeps its thread after the fetch has timed out, so lookups have turns of their own.
  const lookups = createFairQueue(DOCUMENT_FETCHES);
  const lookUp: Resolve = (host) => lookups.run(siteOf(callers.getStore()?.address), () => resolve(host));
  const agent = new Agent({
    maxHeaderSize: 16_384,
    connect(options, callback) {
      const connect = async (): Promise<void> => {
        if (options.protocol !== 'https:') throw new BlockedAddressError('Only https may be dialled.', false);
        const addresses = await dialableAddresses(options.hostname, isPublicAddress, lookUp);
        buildConnector(dialOptions(addresses, CONNECT_TIMEOUT_MS))(options, callback);
      };
      connect().catch((error: Error) => callback(error, null));
    },
  });
  return {
    // The cast is needed, because the global types belong to another version of undici.
    fetch: ((url: string, options: object) =>
      undiciFetch(url, { ...options, redirect: 'manual', dispatcher: agent })) as FetchDocument,
    close: () => agent.destroy(),
  };
};
