import { expect, test } from 'vitest';
import { networkOf, siteOf } from './caller-network.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:0:1:aaaa:bbbb:cccc:dddd', '2001:db8:0:1::/64'],
  ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
  ['2001:db8:0:2::1', '2001:db8:0:2::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['::1', '::/64'],
  ['not an address', 'unknown'],
  [undefined, 'unknown'],
])('counts the address %s under %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8:7:1::1', '2001:db8:7::/48'],
  ['2001:db8:7:ffff::1', '2001:db8:7::/48'],
  [undefined, 'unknown'],
])('assigns the address %s to the site %s', (address, site) => {
  expect(siteOf(address)).toBe(site);
});
