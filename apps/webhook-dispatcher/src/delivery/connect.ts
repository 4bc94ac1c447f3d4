import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { type PeerCertificate, type SecureContext, TLSSocket } from 'node:tls';
import { type AllowedNetworks, mayDial, type Timings } from '@chairside/domain';
import { buildConnector } from 'undici';

/** How far a connection got. For a failed connection, the phase shows what failed. */
export type ConnectPhase = 'lookup' | 'connect' | 'tls' | 'open';

/** The progress of one connection. Times are milliseconds of the monotonic clock. */
export class Connection {
  phase: ConnectPhase = 'lookup';
  since = performance.now();
  /** The address of the TCP connection, once it is established. */
  address?: string;
  /** The address that was tried last, once the address policy allowed it. */
  dialled?: string;
  /** The certificate that the receiver presented, until the connection is open. */
  certificate: PeerCertificate | undefined;
  /** Whether the attempt has ended. After that, no address may be dialled. */
  isAbandoned = false;
  readonly timings: Omit<Timings, 'firstByte'> = {};

  enter(phase: ConnectPhase): void {
    const now = performance.now();
    if (this.phase !== 'open') this.timings[this.phase] = now - this.since;
    if (phase === 'open') this.certificate = undefined;
    this.phase = phase;
    this.since = now;
  }
}

/** Thrown if webhooks may not be sent to an address of the URL's host, or if the host has no address. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
}

export type Address = { address: string; family: number };
/** Returns all addresses of a name. Rejects if there is none. */
export type Resolve = (host: string) => Promise<Address[]>;

export type ConnectorOptions = {
  /** Networks that may be dialled in addition to the public internet. */
  allowed: AllowedNetworks;
  /** The certification authorities that TLS trusts. Defaults to those of Node.js. */
  secureContext?: SecureContext;
  resolve?: Resolve;
};

const inFlight = new Map<string, Promise<Address[]>>();
/**
 * The system's lookup, which also resolves the names of the machine's own network. Each lookup occupies a thread of a
 * small pool, so concurrent lookups of a name share one. Otherwise a name that hangs could block all others.
 */
const resolveByTheSystem: Resolve = (host) => {
  const shared = inFlight.get(host) ?? lookup(host, { all: true }).finally(() => inFlight.delete(host));
  inFlight.set(host, shared);
  return shared;
};

const addressesOf = async (host: string, resolve: Resolve): Promise<Address[]> =>
  isIP(host) === 0 ? resolve(host) : [{ address: host, family: isIP(host) }];

/** A lookup that returns these addresses and does not resolve the name again. */
const fixedLookup =
  (addresses: Address[]): LookupFunction =>
  (_host, { all }, done) => {
    const [first] = addresses;
    if (all) done(null, addresses);
    else done(null, first?.address ?? '', first?.family);
  };

/**
 * A connector that looks up a name, checks that every address may be dialled, and then dials the checked addresses.
 * A name with even one forbidden address is refused, because any of its addresses may be the one that is dialled.
 *
 * @param connection records the progress
 * @param timeout milliseconds until the connection times out
 */
export const guardedConnector = (
  connection: Connection,
  { allowed, secureContext, resolve = resolveByTheSystem }: ConnectorOptions,
  timeout: number,
): buildConnector.connector => {
  const connect = async (...[options, callback]: Parameters<buildConnector.connector>): Promise<void> => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    const addresses = await addressesOf(host, resolve);
    const blocked = addresses.find(({ address }) => !mayDial(address, options.protocol, allowed));
    if (blocked !== undefined || addresses.length === 0) {
      throw new BlockedAddressError(
        `${options.protocol}//${blocked?.address} is not an address that webhooks may be sent to`,
      );
    }
    if (connection.isAbandoned) throw new Error('the attempt is over');
    connection.enter('connect');
    // The socket reports the first attempt before a listener can be added.
    connection.dialled = addresses[0]?.address ?? '';
    const dial = buildConnector({
      lookup: fixedLookup(addresses),
      timeout,
      allowH2: false,
      ...(secureContext && { secureContext }),
    });
    // The types of undici hide the socket that a connector returns.
    const socket = dial(
      { ...options, hostname: host, servername: options.servername ?? (isIP(host) === 0 ? host : '') },
      (...[error, opened]: Parameters<buildConnector.Callback>) => {
        if (error === null) {
          connection.enter('open');
          connection.address = opened.remoteAddress ?? '';
        }
        callback(...([error, opened] as Parameters<buildConnector.Callback>));
      },
    ) as unknown as Socket;
    socket.on('connectionAttempt', (address: string) => {
      connection.dialled = address;
    });
    // The socket forgets the certificate when Node.js refuses it, which happens in a listener of the same event. After
    // getPeerX509Certificate(), Node.js 24 no longer finds the host names of the certificate.
    if (socket instanceof TLSSocket)
      socket.prependOnceListener('secure', () => {
        connection.certificate = socket.getPeerCertificate();
      });
    socket.once('connect', () => {
      connection.address = socket.remoteAddress ?? '';
      if (options.protocol === 'https:') connection.enter('tls');
    });
  };

  return (options, callback) => {
    connect(options, callback).catch((error: Error) => callback(error, null));
  };
};
