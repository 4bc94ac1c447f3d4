import type { Socket } from 'node:net';
import type { PeerCertificate, SecureContext } from 'node:tls';
import { type AllowedNetworks, mayDial, ServiceError, type Timings } from '@chairside/domain';
import { dial, dialableAddresses, type Resolve } from '@chairside/network';
import { type buildConnector, errors } from 'undici';

/** Maximum number of bytes that are read from a receiver in one attempt. */
export const MAX_READ_BYTES = 262_144;

/** How far a connection got. For a failed connection, this is the step that failed. */
export type ConnectPhase = 'lookup' | 'connect' | 'tls' | 'open';

/** The progress of one connection. Times are milliseconds of the monotonic clock. */
export class Connection {
  phase: ConnectPhase = 'lookup';
  since = performance.now();
  /** The address of the TCP connection, once it is established. */
  address?: string;
  /** The address that was dialled last. It is absent until the address policy has allowed all addresses of the name. */
  dialled?: string;
  /** The certificate that the receiver presented, until the connection is open. */
  certificate: PeerCertificate | undefined;
  /** Whether the connection is no longer needed. If so, no address may be dialled. */
  isAbandoned = false;
  readonly timings: Omit<Timings, 'firstByte'> = {};
  #countAnew: (() => void) | undefined;

  enter(phase: ConnectPhase): void {
    const now = performance.now();
    if (this.phase !== 'open') this.timings[this.phase] = now - this.since;
    if (phase === 'open') this.certificate = undefined;
    this.phase = phase;
    this.since = now;
  }

  /** @param countAnew begins to count what is read from the connection */
  opened(countAnew: () => void): void {
    this.#countAnew = countAnew;
    this.enter('open');
  }

  /** Call when an attempt begins, also if the connection is not open yet. */
  beginAttempt(): void {
    this.#countAnew?.();
  }
}

export type ConnectorOptions = {
  /** Networks that may be dialled in addition to the public internet. */
  allowed: AllowedNetworks;
  /** The certification authorities that TLS trusts. Defaults to those of Node.js. */
  secureContext?: SecureContext;
  resolve?: Resolve;
};

/**
 * A connector that looks up a name, checks that every address may be dialled, and then dials the checked addresses.
 *
 * @param connection records the progress
 * @param timeout milliseconds until the connection times out
 */
export const guardedConnector = (
  connection: Connection,
  { allowed, secureContext, resolve }: ConnectorOptions,
  timeout: number,
): buildConnector.connector => {
  const connect = async (options: buildConnector.Options): Promise<Socket> => {
    const { hostname: host } = options;
    const addresses = await dialableAddresses(
      host,
      (address) => mayDial(address, options.protocol, allowed),
      resolve,
    );
    if (connection.isAbandoned) throw new ServiceError('the attempt is over');
    connection.enter('connect');
    // The first address is set here, because its event `connectionAttempt` is emitted before a listener can be added.
    connection.dialled = addresses[0]?.address ?? '';
    const isSecure = options.protocol === 'https:';
    const { raw, opened } = dial({
      host,
      port: Number(options.port) || (isSecure ? 443 : 80),
      addresses,
      tls: isSecure ? { secureContext } : undefined,
      timeout,
      maxBytes: MAX_READ_BYTES,
      timedOut: () => new errors.ConnectTimeoutError(),
      tooMuch: () => new errors.HeadersOverflowError('The receiver has sent too many bytes.'),
      // The certificate is read before the listener of Node.js runs. If that listener refuses the certificate, the socket
      // no longer returns it. getPeerX509Certificate() is not used, because after it, Node.js 24 no longer finds the host
      // names of the certificate.
      onSecuring: (socket) =>
        socket.prependOnceListener('secure', () => {
          connection.certificate = socket.getPeerCertificate();
        }),
    });
    raw.on('connectionAttempt', (address: string) => {
      connection.dialled = address;
    });
    raw.once('connect', () => {
      connection.address = raw.remoteAddress ?? '';
      if (isSecure) connection.enter('tls');
    });
    const { socket, countAnew } = await opened;
    connection.opened(countAnew);
    return socket;
  };

  return (options, callback) => {
    connect(options).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
};
