import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { type AllowedNetworks, mayDial, type Timings } from '@chairside/domain';
import { buildConnector } from 'undici';

/** How far a connection got: what broke before it was open is told by its phase. */
export type ConnectPhase = 'lookup' | 'connect' | 'tls' | 'open';

/** What one connection went through, by the monotonic clock in milliseconds. */
export class Connection {
  phase: ConnectPhase = 'lookup';
  since = performance.now();
  /** The address that is connected to. */
  address?: string;
  /** The address that was tried last, once the address policy allowed it. */
  dialled?: string;
  /** Nobody waits for it any more: it must not be dialled late. */
  isAbandoned = false;
  readonly timings: Omit<Timings, 'firstByte'> = {};

  enter(phase: ConnectPhase): void {
    const now = performance.now();
    if (this.phase !== 'open') this.timings[this.phase] = now - this.since;
    this.phase = phase;
    this.since = now;
  }
}

/** The address behind the URL is one that no webhook may be sent to. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
}

export type Address = { address: string; family: number };
/** All addresses of a name; rejects when there is none. */
export type Resolve = (host: string) => Promise<Address[]>;

export type ConnectorOptions = {
  /** Networks that may be dialled besides the public internet. */
  allowed: AllowedNetworks;
  /** Whom TLS trusts, if not just whom the runtime trusts. */
  secureContext?: SecureContext;
  resolve?: Resolve;
};

const underWay = new Map<string, Promise<Address[]>>();
/**
 * The system's look-up, which knows the names of the machine's own network too. It occupies one of few threads while
 * it waits, so those who ask for one name at one moment share it: a name that hangs must not hold up all others.
 */
const resolveByTheSystem: Resolve = (host) => {
  const shared = underWay.get(host) ?? lookup(host, { all: true }).finally(() => underWay.delete(host));
  underWay.set(host, shared);
  return shared;
};

const addressesOf = async (host: string, resolve: Resolve): Promise<Address[]> =>
  isIP(host) === 0 ? resolve(host) : [{ address: host, family: isIP(host) }];

/** Answers with what was asked before, whatever the name has become since. */
const answering =
  (addresses: Address[]): LookupFunction =>
  (_host, { all }, done) => {
    const [first] = addresses;
    if (all) done(null, addresses);
    else done(null, first?.address ?? '', first?.family);
  };

/**
 * A connector that looks a name up, asks whether every address behind it may be dialled, and dials one of the very
 * addresses it asked about. A name with one forbidden address is refused whole: which one would be dialled is chance.
 *
 * @param connection is told how far it got
 * @param timeout milliseconds until a hanging connection is given up
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
        `${options.protocol}//${blocked?.address} is not an address that webhooks may go to`,
      );
    }
    if (connection.isAbandoned) throw new Error('the attempt is over');
    connection.enter('connect');
    // The socket reports the first attempt before it can be listened to.
    connection.dialled = addresses[0]?.address ?? '';
    const dial = buildConnector({
      lookup: answering(addresses),
      timeout,
      allowH2: false,
      ...(secureContext && { secureContext }),
    });
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
    socket.once('connect', () => {
      connection.address = socket.remoteAddress ?? '';
      if (options.protocol === 'https:') connection.enter('tls');
    });
  };

  return (options, callback) => {
    connect(options, callback).catch((error: Error) => callback(error, null));
  };
};
