import { BlockList, isIP } from 'node:net';

const ranges = (list: readonly string[]): BlockList => {
  const blocks = new BlockList();
  for (const cidr of list) addCidr(blocks, cidr);
  return blocks;
};

const addCidr = (blocks: BlockList, cidr: string): void => {
  const [address = '', prefix] = cidr.split('/');
  const family = isIP(address);
  const bits = Number(prefix ?? (family === 4 ? 32 : 128));
  blocks.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
};

// Sources: the IANA IPv4 Special-Purpose Address Registry, and the multicast and class E ranges.
const NOT_GLOBAL_IPV4 = ranges([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]);

// IANA has allocated only 2000::/3 for global unicast (IANA IPv6 Global Unicast Address Space). Loopback, IPv4-mapped,
// IPv4-compatible, NAT64, unique local, link-local and multicast addresses are outside this range.
const GLOBAL_IPV6 = ranges(['2000::/3']);
// Special-purpose ranges inside 2000::/3: IETF protocol assignments (including Teredo), documentation (2001:db8::/32),
// 6to4, direct delegation AS112, and documentation (3fff::/20).
const NOT_GLOBAL_IPV6 = ranges(['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']);
// An ISATAP address (RFC 5214) contains an IPv4 address after these groups.
const ISATAP = /^(?:[0-9a-f]{1,4}:){4}[02]00:5efe:|^(?:[0-9a-f]{1,4}:){4}0{1,4}:5efe:/;

/** The networks that the operator of the service allows in addition to the public internet. */
export type AllowedNetworks = {
  /** Whether the address is in one of the networks. */
  includes(address: string): boolean;
  /** Whether the list is empty. */
  none: boolean;
};

/** Whether this is a network in CIDR notation (RFC 4632, RFC 4291), such as `127.0.0.0/8` or `fd00::/8`. */
export const isNetwork = (cidr: string): boolean => {
  const [, address = '', prefix] = /^([0-9a-f.:]+)\/(\d{1,3})$/i.exec(cidr) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(prefix) <= (family === 4 ? 32 : 128);
};

/**
 * Returns the networks as one list that can be searched.
 *
 * @param cidrs networks in CIDR notation
 * @throws {RangeError} if an entry is not a network. The message quotes the first such entry
 */
export const allowedNetworks = (cidrs: readonly string[]): AllowedNetworks => {
  const wrong = cidrs.find((cidr) => !isNetwork(cidr));
  if (wrong !== undefined) {
    throw new RangeError(`${JSON.stringify(wrong)} is not a network such as 10.0.0.0/8 or fd00::/8`);
  }
  const blocks = ranges(cidrs);
  return { includes: (address) => checked(blocks, address), none: cidrs.length === 0 };
};

const checked = (blocks: BlockList, address: string): boolean => {
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return false;
  return blocks.check(address, family === 4 ? 'ipv4' : 'ipv6');
};

/** The eight groups of an IPv6 address, without `::`, so that a pattern can match them. */
const expanded = (address: string): string => {
  const { hostname } = new URL(`http://[${address}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(8 - front.length - back.length).fill('0');
  return [...front, ...zeros, ...back].join(':');
};

/**
 * Whether this IP address is on the public internet: global unicast and in no special-purpose range. Everything else is
 * denied, even if it embeds a public address.
 *
 * @param address an IPv4 or IPv6 address as text; any other text is not public
 */
export const isPublicAddress = (address: string): boolean => {
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return false;
  if (family === 4) return !checked(NOT_GLOBAL_IPV4, address);
  return (
    checked(GLOBAL_IPV6, address) && !checked(NOT_GLOBAL_IPV6, address) && !ISATAP.test(expanded(address))
  );
};

/**
 * Whether a webhook may be sent to this address: it is public (https only), or in an allowed network.
 *
 * @param protocol `https:` or `http:`
 */
export const mayDial = (address: string, protocol: string, allowed: AllowedNetworks): boolean =>
  allowed.includes(address) || (protocol === 'https:' && isPublicAddress(address));
