import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { ServiceError } from '@chairside/domain';
import { BOUNDED_TLS } from './trust.ts';

export type Address = { address: string; family: number };
/** Returns all addresses of a name. Rejects if there is none. */
export type Resolve = (host: string) => Promise<Address[]>;

/** Thrown if a host has an address that may not be dialled, or has no address. */
export class BlockedAddressError extends ServiceError {
  override readonly name = 'BlockedAddressError';
  /** Whether the host is a name, not an address. */
  readonly isOfName: boolean;
  constructor(message: string, isOfName: boolean) {
    super(message);
    this.isOfName = isOfName;
  }
}

/**
 * Maximum number of addresses of a name that are checked and dialled. A name may have thousands, and each costs time and
 * a connection to a host that never asked for it.
 */
const MAX_ADDRESSES = 16;

const inFlight = new Map<string, Promise<Address[]>>();
/**
 * The system's lookup, which also resolves the names of the machine's own network. Each lookup occupies a thread of a
 * small pool, so concurrent lookups of a name share one. Otherwise a name that hangs could block all others.
 */
export const resolveByTheSystem: Resolve = (host) => {
  const shared = inFlight.get(host) ?? lookup(host, { all: true }).finally(() => inFlight.delete(host));
  inFlight.set(host, shared);
  return shared;
};

/**
 * Looks up a host whose name comes from a customer or a stranger. A name with even one forbidden address among the first
 * 16 is refused, because any of these may be the one that is dialled. Dial the returned addresses with `dialOptions`: a second
 * lookup could return others.
 *
 * @param host a name or an IP address, an IPv6 address possibly in brackets
 * @param mayDial whether an address may be dialled
 * @returns at least one address
 * @throws {BlockedAddressError} and errors of the lookup
 */
export const dialableAddresses = async (
  host: string,
  mayDial: (address: string) => boolean,
  resolve: Resolve = resolveByTheSystem,
): Promise<Address[]> => {
  const bare = host.replace(/^\[|\]$/g, '');
  const isName = isIP(bare) === 0;
  const addresses = isName
    ? (await resolve(bare)).slice(0, MAX_ADDRESSES)
    : [{ address: bare, family: isIP(bare) }];
  const blocked = addresses.find(({ address }) => !mayDial(address));
  if (blocked !== undefined || addresses.length === 0)
    throw new BlockedAddressError(`${blocked?.address} is not an address that may be dialled`, isName);
  return addresses;
};

/** A lookup that returns these addresses and does not resolve the name again. */
const fixedLookup =
  (addresses: Address[]): LookupFunction =>
  (_host, { all }, done) => {
    const [first] = addresses;
    if (all) done(null, addresses);
    else done(null, first?.address ?? '', first?.family);
  };

/**
 * How long an address may take to accept the connection before the next one is dialled, in milliseconds. The system
 * repeats a lost packet after a second.
 */
const LONGEST_DIAL_MS = 1500;

/**
 * Options of a connection to the first of these addresses that accepts it. They are dialled one after the other, and the
 * last one has the rest of the time. TLS is that of {@link BOUNDED_TLS}, also with the context of {@link trusting}.
 *
 * @param timeout milliseconds until the connection times out
 */
export const dialOptions = (addresses: Address[], timeout: number) => ({
  ...BOUNDED_TLS,
  lookup: fixedLookup(addresses),
  timeout,
  // Node.js gives an address up after 250 ms by default, even if no other one can be reached.
  autoSelectFamilyAttemptTimeout: Math.min(LONGEST_DIAL_MS, Math.floor(timeout / addresses.length)),
});

/**
 * Maximum number of session tickets that a server may send at a time. TLS 1.3 allows any number (RFC 8446, 4.6.1), and
 * they are no data. Servers send one to four after the handshake.
 */
const MAX_TICKETS = 64;

/**
 * Limits the bytes and the session tickets that are read from a server of a customer or a stranger. A client of HTTP limits headers and reads a
 * body as far as its caller wants, but limits neither informational responses, nor empty lines before a response, nor
 * extensions of chunks. Not for HTTP/2, which reads past the socket.
 *
 * @param error destroys the socket when it has read more than `maxBytes`, or more than {@link MAX_TICKETS} tickets
 * @returns a function that begins to count anew
 */
export const boundReads = (socket: Socket, maxBytes: number, error: () => Error): (() => void) => {
  let before = socket.bytesRead;
  let tickets = 0;
  socket.on('readable', () => {
    if (socket.bytesRead - before > maxBytes) socket.destroy(error());
  });
  // A TLS socket emits it for each ticket.
  socket.on('session', () => {
    if (++tickets > MAX_TICKETS) socket.destroy(error());
  });
  return () => {
    before = socket.bytesRead;
    tickets = 0;
  };
};
