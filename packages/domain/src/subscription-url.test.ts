import { expect, test } from 'vitest';
import { allowedNetworks } from './public-address.ts';
import { subscriptionUrlProblem } from './subscription-url.ts';

const none = allowedNetworks([]);
const loopback = allowedNetworks(['127.0.0.0/8']);

test.each([
  'https://example.com',
  'https://example.com:8443/hooks?tenant=1',
  'https://bücher.example/',
  'https://8.8.8.8/',
  'https://[2606:4700::1111]/',
])('%s is accepted', (url) => {
  expect(subscriptionUrlProblem(url, none)).toBeUndefined();
});

test.each([
  ['http://example.com/', 'must start with https://'],
  ['ftp://example.com/', 'must start with https://'],
  ['//example.com/', 'must be an absolute URL'],
  ['example.com', 'must be an absolute URL'],
  ['https://user@example.com/', 'credentials'],
  ['https://:password@example.com/', 'credentials'],
  ['https://example.com/#', 'fragment'],
  ['https://example.com/webhooks\n', 'white space'],
  ['https://example.com/web\nhooks', 'white space'],
  ['https://example.com/webhooks\r', 'white space'],
  [' https://example.com/webhooks', 'white space'],
  ['https://example.com/web hooks', 'white space'],
  ['https://exa\tmple.com/', 'white space'],
  ['https://example.com/\u00a0', 'white space'],
  ['\u0001https://example.com/', 'control characters'],
  ['https:///example.com/', 'must have the host after https://'],
  ['https:/example.com/', 'must have the host after https://'],
  ['https:example.com', 'must have the host after https://'],
  ['HTTPS:////example.com', 'must have the host after https://'],
  ['https://', 'must have the host after https://'],
  ['https://?a', 'must have the host after https://'],
  ['https:\\\\example.com\\webhooks', 'backslash'],
  ['https://example.com\\webhooks', 'backslash'],
  ['https://localhost/', 'non-public'],
  ['https://LOCALHOST./', 'non-public'],
  ['https://a.localhost/', 'non-public'],
  ['https://127.1/', 'non-public'],
  ['https://0x7f.1/', 'non-public'],
  ['https://2130706433/', 'non-public'],
  ['https://0177.0.0.1/', 'non-public'],
  ['https://１２７.0.0.1/', 'non-public'],
  ['https://[::]/', 'non-public'],
  ['https://[::ffff:7f00:1]/', 'non-public'],
  ['https://example.com:0/', 'port 0'],
  ['https://example.com:00/', 'port 0'],
  ['https://example.com:65536/', 'must be an absolute URL'],
  [`https://example.com/${'ü'.repeat(1000)}`, 'at most 2048 characters when it is encoded'],
  [`https://example.com/${'a'.repeat(2048)}`, 'at most 2048 characters'],
])('%s is refused', (url, reason) => {
  expect(subscriptionUrlProblem(url, none)).toContain(reason);
});

test('accepts http and private addresses only in networks that the operator of the service allows', () => {
  expect(subscriptionUrlProblem('http://127.0.0.1:3002/', loopback)).toBeUndefined();
  expect(subscriptionUrlProblem('http://localhost:3002/', loopback)).toBeUndefined();
  expect(subscriptionUrlProblem('https://127.0.0.1/', loopback)).toBeUndefined();
  expect(subscriptionUrlProblem('http://10.0.0.1/', loopback)).toContain('non-public');
  expect(subscriptionUrlProblem('http://8.8.8.8/', loopback)).toContain('https://');
  // The dispatcher checks the addresses of a host name when it connects.
  expect(subscriptionUrlProblem('http://receiver.internal/', loopback)).toBeUndefined();
});
