import { describe, expect, test } from 'vitest';
import { allowedNetworks, isPublicAddress, mayDial } from './public-address.ts';

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00:1450:4001:82a::200e',
  '2001:4860:4860::8888',
  '2003::1',
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  ['this network', '0.0.0.0'],
  ['this network', '0.1.2.3'],
  ['private', '10.0.0.1'],
  ['private', '172.16.0.1'],
  ['private', '172.31.255.255'],
  ['private', '192.168.1.1'],
  ['CGNAT', '100.64.0.0'],
  ['CGNAT', '100.127.255.255'],
  ['loopback', '127.0.0.1'],
  ['loopback', '127.255.255.254'],
  ['link-local and metadata', '169.254.169.254'],
  ['IETF protocol assignments', '192.0.0.8'],
  ['documentation', '192.0.2.1'],
  ['documentation', '198.51.100.1'],
  ['documentation', '203.0.113.1'],
  ['6to4 relay', '192.88.99.1'],
  ['AS112', '192.175.48.1'],
  ['benchmarking', '198.18.0.1'],
  ['multicast', '224.0.0.1'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['unspecified', '::'],
  ['loopback', '::1'],
  ['IPv4-compatible', '::127.0.0.1'],
  ['IPv4-mapped', '::ffff:127.0.0.1'],
  ['IPv4-mapped', '::ffff:10.0.0.1'],
  ['IPv4-mapped, of a public address too', '::ffff:8.8.8.8'],
  ['IPv4-translated', '::ffff:0:127.0.0.1'],
  ['NAT64', '64:ff9b::7f00:1'],
  ['local NAT64', '64:ff9b:1::7f00:1'],
  ['discard', '100::1'],
  ['Teredo', '2001::1'],
  ['ORCHIDv2', '2001:20::1'],
  ['documentation', '2001:db8::1'],
  ['6to4 of loopback', '2002:7f00:1::'],
  ['AS112', '2620:4f:8000::1'],
  ['documentation', '3fff::1'],
  ['segment routing', '5f00::1'],
  ['unique local', 'fc00::1'],
  ['unique local', 'fd12:3456::1'],
  ['link-local', 'fe80::1'],
  ['with a zone', 'fe80::1%eth0'],
  ['public with a zone', '2606:4700::1111%1'],
  ['site-local', 'fec0::1'],
  ['multicast', 'ff02::1'],
  ['ISATAP', '2606:4700::5efe:7f00:1'],
  ['ISATAP', '2606:4700::200:5efe:10.0.0.1'],
  ['a name', 'localhost'],
  ['nothing', ''],
  ['a short form that is no address', '127.1'],
])('%s is not public: %s', (_name, address) => {
  expect(isPublicAddress(address)).toBe(false);
});

describe('allowed networks', () => {
  const allowed = allowedNetworks(['127.0.0.0/8', 'fd00::/8']);

  test('allow the listed networks and nothing else', () => {
    expect(mayDial('127.0.0.1', 'http:', allowed)).toBe(true);
    expect(mayDial('fd00::1', 'https:', allowed)).toBe(true);
    expect(mayDial('10.0.0.1', 'https:', allowed)).toBe(false);
    expect(mayDial('64:ff9b::7f00:1', 'https:', allowed)).toBe(false);
  });

  test('a public address needs https', () => {
    expect(mayDial('8.8.8.8', 'https:', allowed)).toBe(true);
    expect(mayDial('8.8.8.8', 'http:', allowed)).toBe(false);
  });

  test.each(['127.0.0.1', '10.0.0.0/33', 'fd00::/129', 'example.com/8', '10/8', ''])(
    '%j is not a network',
    (cidr) => {
      expect(() => allowedNetworks([cidr])).toThrow('is not a network such as');
    },
  );
});
