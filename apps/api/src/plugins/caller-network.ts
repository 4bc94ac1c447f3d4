import ipaddr from 'ipaddr.js';

/** Bits of an IPv6 address that one customer of a provider holds: all of them are one caller (RFC 6177). */
const IPV6_PREFIX_PARTS = 4;

/**
 * The network that a caller's address counts under: the address itself for IPv4, also when it is mapped into IPv6,
 * and the /64 for IPv6.
 *
 * @param address as `request.ip` has it; absent when the connection is gone
 * @returns for example `203.0.113.7` or `2001:db8:0:1::/64`
 */
export const networkOf = (address: string | undefined): string => {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const network = new ipaddr.IPv6([...parsed.parts.slice(0, IPV6_PREFIX_PARTS), 0, 0, 0, 0]);
  return `${network.toString()}/64`;
};
