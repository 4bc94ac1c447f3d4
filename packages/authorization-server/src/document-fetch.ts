import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { createFairQueue } from '@chairside/concurrency';
import { isPublicAddress, ServiceError } from '@chairside/domain';
import { siteOf } from '@chairside/http-server';
import {
  BlockedAddressError,
  dial,
  dialableAddresses,
  type Resolve,
  resolveByTheSystem,
} from '@chairside/network';
import type { Configuration } from 'oidc-provider';
import { Agent, errors, fetch as undiciFetch } from 'undici';
import { callers } from './callers.ts';
import { DOCUMENT_FETCHES } from './limits.ts';

/** Requests the metadata document of a client. */
export type FetchDocument = NonNullable<Configuration['fetch']>;

/** How long a connection may take. A fetch ends after 2.5 s. */
const CONNECT_TIMEOUT_MS = 2000;
/** Maximum number of bytes that are read for one document. The document itself has at most 5 KiB. */
const MAX_READ_BYTES = 65_536;

/**
 * A fetch that connects only to addresses of the public internet. It connects to the addresses that it has checked, so
 * a change of the name's addresses in between has no effect.
 *
 * @param resolve returns all addresses of a name
 * @param options.mayDial whether an address may be dialled
 * @param options.secureContext the certification authorities that TLS trusts. Default: those of Node.js
 */
export const createDocumentFetch = (
  resolve: Resolve = resolveByTheSystem,
  {
    mayDial = isPublicAddress,
    secureContext,
  }: { mayDial?: (address: string) => boolean; secureContext?: SecureContext } = {},
): { fetch: FetchDocument; close(): Promise<void> } => {
  // A lookup keeps its thread after the fetch has timed out, so lookups have turns of their own. One that has had no turn
  // until then is for nobody.
  const lookups = createFairQueue({ ...DOCUMENT_FETCHES, maxWaitMs: CONNECT_TIMEOUT_MS });
  const lookUp: Resolve = (host) => lookups.run(siteOf(callers.getStore()?.address), () => resolve(host));
  const agent = new Agent({
    maxHeaderSize: 16_384,
    // What is read counts for each connection, so each fetch has its own.
    pipelining: 0,
    allowH2: false,
    connect(options, callback) {
      const connect = async (): Promise<Socket> => {
        if (options.protocol !== 'https:') throw new BlockedAddressError('Only https may be dialled.', false);
        const addresses = await dialableAddresses(options.hostname, mayDial, lookUp);
        const { opened } = dial({
          host: options.hostname,
          port: Number(options.port) || 443,
          addresses,
          tls: { secureContext },
          timeout: CONNECT_TIMEOUT_MS,
          maxBytes: MAX_READ_BYTES,
          timedOut: () => new errors.ConnectTimeoutError(),
          tooMuch: () => new ServiceError('The host of the document has sent too many bytes.'),
        });
        return (await opened).socket;
      };
      connect().then(
        (socket) => callback(null, socket),
        (error: Error) => callback(error, null),
      );
    },
  });
  return {
    // The cast is needed, because the global types belong to another version of undici.
    fetch: ((url: string, options: object) =>
      undiciFetch(url, { ...options, redirect: 'manual', dispatcher: agent })) as FetchDocument,
    close: () => agent.destroy(),
  };
};
