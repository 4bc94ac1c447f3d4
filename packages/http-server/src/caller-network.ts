import ipaddr from 'ipaddr.js';

/**
 * The number of leading 16-bit groups of an IPv6 address that identify a network (/64) and a site (/48). Providers
 * assign a customer at least one network, and often a whole site (RFC 6177).
 */
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
 * The network under which a caller is counted: the address itself for IPv4, including IPv4 addresses mapped into IPv6,
 * and the /64 for IPv6.
 *
 * @param address the address of the caller; undefined if the connection has been closed
 * @returns for example `203.0.113.7` or `2001:db8:0:1::/64`; `unknown` without a valid address
 */
export const networkOf = (address: string | undefined): string => prefixOf(address, NETWORK_PARTS);

/** The site that the network is part of: the address itself for IPv4, the /48 for IPv6. */
export const siteOf = (address: string | undefined): string => prefixOf(address, SITE_PARTS);
