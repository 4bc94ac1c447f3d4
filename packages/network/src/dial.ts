import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls';
import { ServiceError } from '@chairside/domain';
import { type Address, fixedLookup, withoutBrackets } from './dialable-addresses.ts';
import { BOUNDED_TLS } from './trust.ts';

/**
 * How long an address may take to accept the connection before the next one is dialled, in milliseconds. The system
 * repeats a lost packet after a second.
 */
const LONGEST_DIAL_MS = 1500;
/**
 * Maximum number of bytes that a server may send for a TLS handshake. Most send 3 to 7 kB. OpenSSL accepts 100 kB of
 * certificates, and verifies their whole chain, which takes more than a second with keys and names that were made for it.
 */
export const MAX_HANDSHAKE_BYTES = 16_384;
/** How long a connection is idle before the system asks whether its other end is still there, in milliseconds. */
const KEEP_ALIVE_MS = 60_000;

/** The server sends more than {@link MAX_HANDSHAKE_BYTES} in a handshake. The code is that of OpenSSL for a long chain. */
class LongChainError extends ServiceError {
  override readonly name = 'LongChainError';
  readonly code = 'CERT_CHAIN_TOO_LONG';
  constructor() {
    super(`The server sends more than ${MAX_HANDSHAKE_BYTES} bytes in a TLS handshake.`);
  }
}

/** The bytes of a connection on their way to TLS. They are counted before TLS computes with them. */
class CountedStream extends Duplex {
  readonly #socket: Socket;
  #left = 0;
  #onExceeded = (): void => {};

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.on('data', (part) => this.#take(part));
    socket.once('end', () => this.push(null));
    socket.once('close', () => this.destroy());
  }

  /** Accepts this number of bytes from now on. @param onExceeded called with the first byte that is too many */
  accept(bytes: number, onExceeded: () => void): void {
    this.#left = bytes;
    this.#onExceeded = onExceeded;
  }

  #take(part: Buffer): void {
    this.#left -= part.length;
    if (this.#left < 0) this.#onExceeded();
    else if (!this.push(part)) this.#socket.pause();
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(part: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(part, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

/** The server name that a handshake sends: no address, and without a dot at its end (RFC 6066, 3). */
const serverNameOf = (host: string): string => (isIP(host) === 0 ? host.replace(/\.$/, '') : '');

/** Limits what is read from a socket without TLS. Returns a function that begins to count anew. */
const boundReads = (socket: Socket, maxBytes: number, tooMuch: () => Error): (() => void) => {
  let before = socket.bytesRead;
  socket.on('readable', () => {
    if (socket.bytesRead - before > maxBytes) socket.destroy(tooMuch());
  });
  return () => {
    before = socket.bytesRead;
  };
};

export type DialOptions = {
  /** The name in the URL, or the address, an IPv6 address possibly in brackets. */
  host: string;
  port: number;
  /** The addresses of the host. They are dialled one after the other, until one accepts the connection. */
  addresses: Address[];
  /**
   * For https: the authorities that are trusted; by default those of Node.js. TLS is that of {@link BOUNDED_TLS}, also with
   * the context of {@link trusting}.
   */
  tls?: { secureContext?: SecureContext | undefined } | undefined;
  /** Milliseconds until the connection must be open. */
  timeout: number;
  /** Maximum number of bytes that are read from the open connection, unless `countAnew` is called. */
  maxBytes: number;
  /** Creates the error of a connection that is not open in time. */
  timedOut: () => Error;
  /** Creates the error that destroys a connection whose server has sent too many bytes. */
  tooMuch: () => Error;
  /** Called when the handshake begins. */
  onSecuring?: (socket: TLSSocket) => void;
};

/** @param countAnew accepts `maxBytes` from now on */
export type OpenConnection = { socket: Socket; countAnew(): void };

/**
 * Dials a server of a customer or a stranger, and limits what it may send: the handshake, and then all bytes, with those that a
 * client of HTTP does not limit, such as informational responses, empty lines before a response, extensions of chunks,
 * and with TLS session tickets, key updates and the heads of records. Only for HTTP/1.1.
 *
 * @returns the socket of the connection, and a promise of the open connection
 */
export const dial = ({
  host: given,
  port,
  addresses,
  tls,
  timeout,
  maxBytes,
  timedOut,
  tooMuch,
  onSecuring,
}: DialOptions): { raw: Socket; opened: Promise<OpenConnection> } => {
  const host = withoutBrackets(given);
  const raw = connect({
    host,
    port,
    lookup: fixedLookup(addresses),
    // Node.js gives an address up after 250 ms by default, even if no other one can be reached.
    autoSelectFamilyAttemptTimeout: Math.min(LONGEST_DIAL_MS, Math.floor(timeout / addresses.length)),
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
  });
  /** What the connection is now: the socket itself, or TLS over it. */
  let current: Socket = raw;
  const timer = setTimeout(() => current.destroy(timedOut()), timeout);
  const secured = (): Promise<OpenConnection> =>
    new Promise((resolve, reject) => {
      const stream = new CountedStream(raw);
      raw.on('error', (error) => current.destroy(error));
      const socket = connectTls({
        ...BOUNDED_TLS,
        ...tls,
        // The certificate must be that of the host, also if the host is an address.
        host,
        servername: serverNameOf(host),
        ALPNProtocols: ['http/1.1'],
        socket: stream,
      });
      current = socket;
      stream.accept(MAX_HANDSHAKE_BYTES, () => socket.destroy(new LongChainError()));
      socket.once('error', reject);
      socket.once('secureConnect', () => {
        const countAnew = () => stream.accept(maxBytes, () => socket.destroy(tooMuch()));
        countAnew();
        resolve({ socket, countAnew });
      });
      onSecuring?.(socket);
    });
  const open = async (): Promise<OpenConnection> => {
    await once(raw, 'connect');
    return tls === undefined ? { socket: raw, countAnew: boundReads(raw, maxBytes, tooMuch) } : secured();
  };
  const opened = open().catch((error: unknown) => {
    raw.destroy();
    throw error;
  });
  return { raw, opened: opened.finally(() => clearTimeout(timer)) };
};
