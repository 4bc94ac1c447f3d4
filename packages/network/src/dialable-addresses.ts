import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { ServiceError } from '@chairside/domain';

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
export const MAX_ADDRESSES = 16;

/** A host of a URL without the brackets of an IPv6 address. */
export const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, '');

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
 * 16 is refused, because any of these may be the one that is dialled. Dial the returned addresses with `dial`: a second
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
  const bare = withoutBrackets(host);
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
export const fixedLookup =
  (addresses: Address[]): LookupFunction =>
  (_host, { all }, done) => {
    const [first] = addresses;
    if (all) done(null, addresses);
    else done(null, first?.address ?? '', first?.family);
  };
