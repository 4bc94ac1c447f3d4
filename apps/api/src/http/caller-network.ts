import ipaddr from 'ipaddr.js';

/** Groups of 16 bits of an IPv6 address that one customer of a provider has: a network (RFC 6177), and often a whole site. */
const NETWORK_PARTS = 4;
const SITE_PARTS = 3;

const prefixOf = (address: string | undefined, parts: number): string => {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const kept = parsed.parts.map((part, index) => (index < parts ? part : 0));
  return `${new ipaddr.IPv6(kept).toString()}/${parts * 16}`;
};

/**
 * The network that a caller's address counts under: the address itself for IPv4, also when it is mapped into IPv6,
 * and the /64 for IPv6.
 *
 * @param address as `request.ip` has it; absent when the connection is gone
 * @returns for example `203.0.113.7` or `2001:db8:0:1::/64`
 */
export const networkOf = (address: string | undefined): string => prefixOf(address, NETWORK_PARTS);

/** The site that the network is part of: the address itself for IPv4, the /48 for IPv6. */
export const siteOf = (address: string | undefined): string => prefixOf(address, SITE_PARTS);
