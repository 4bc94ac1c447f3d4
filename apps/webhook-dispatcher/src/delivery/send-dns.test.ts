import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { allowedNetworks } from '@chairside/domain';
import type { Address, Resolve } from '@chairside/network';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createSender } from './send.ts';

/** The addresses of this machine that received a request. The server listens on all of them. */
const dialled: (string | undefined)[] = [];
const server = createServer({ keepAlive: false }, (request, response) => {
  dialled.push(request.socket.localAddress?.replace('::ffff:', ''));
  response.setHeader('connection', 'close');
  request.resume().on('end', () => response.end());
});
let port: number;
beforeAll(async () => {
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
beforeEach(() => {
  dialled.length = 0;
});
afterAll(() => void server.close());

const v4 = (...addresses: string[]): Address[] => addresses.map((address) => ({ address, family: 4 }));

/**
 * Sends webhooks one after the other, with a fake name server. Of the private addresses, only 127.0.0.2 may be dialled.
 */
const sendWith = async (resolve: Resolve, times = 1) => {
  const sender = createSender({ allowed: allowedNetworks(['127.0.0.2/32']), resolve });
  const attempts = [];
  for (let time = 0; time < times; time++) {
    attempts.push(await sender.send({ url: `http://receiver.test:${port}/`, headers: {}, body: '{}' }));
  }
  await sender.close();
  return attempts;
};

test('dns: the name does not exist', async () => {
  const error = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
  const [attempt] = await sendWith(() => Promise.reject(error));
  expect(attempt).toMatchObject({
    outcome: 'failed',
    cause: 'dns',
    code: 'ENOTFOUND',
    reason: expect.stringContaining('does not exist'),
  });
  expect(attempt).not.toHaveProperty('address');
});

test('connect: reports the last address that was tried when every address of a name refuses', async () => {
  const sender = createSender({
    allowed: allowedNetworks(['127.0.0.0/8']),
    resolve: async () => v4('127.0.0.3', '127.0.0.4'),
  });
  const attempt = await sender.send({ url: 'http://receiver.test:1/', headers: {}, body: '{}' });
  expect(attempt).toMatchObject({ cause: 'connect', code: 'ECONNREFUSED', address: '127.0.0.4' });
  await sender.close();
});

test('timeout: a name server that hangs ends the attempt after five seconds, and its late response opens no connection', async () => {
  let respond: (addresses: Address[]) => void = () => {};
  const asked = new Promise<Address[]>((resolve) => {
    respond = resolve;
  });
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let hasEnded = false;
  const sending = sendWith(() => asked).finally(() => {
    hasEnded = true;
  });
  await vi.advanceTimersByTimeAsync(4999);
  expect(hasEnded).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  const [attempt] = await sending;
  expect(attempt).toMatchObject({ outcome: 'failed', cause: 'timeout', timings: { lookup: 5000 } });
  vi.useRealTimers();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.once('connection', () => resolve());
  respond(v4('127.0.0.2'));
  // A new connection arrives. A late dial would have arrived before it.
  await sendWith(async () => v4('127.0.0.2'));
  await promise;
  expect(dialled).toEqual(['127.0.0.2']);
});

test('dials the address that was checked, even if the name resolves to 127.0.0.1 afterwards', async () => {
  const responses = [v4('127.0.0.2'), v4('127.0.0.1'), v4('127.0.0.1')];
  let asked = 0;
  const resolve = async () => responses[asked++] as Address[];
  const [first, second] = await sendWith(resolve, 2);
  expect(first).toMatchObject({ outcome: 'succeeded', address: '127.0.0.2' });
  // A new connection resolves and checks the name again, once.
  expect(second).toMatchObject({ outcome: 'failed', cause: 'blocked_address' });
  expect(asked).toBe(2);
  expect(dialled).toEqual(['127.0.0.2']);
});

test.each([
  ['an allowed and a private address', v4('127.0.0.2', '10.0.0.1')],
  ['a public and a loopback address', v4('93.184.215.14', '127.0.0.1')],
  ['a private address in IPv6 notation', [...v4('127.0.0.2'), { address: '::ffff:127.0.0.1', family: 6 }]],
  ['no address', []],
])('blocked_address: a name with %s', async (_name, addresses) => {
  const [attempt] = await sendWith(async () => addresses);
  expect(attempt).toMatchObject({ outcome: 'failed', cause: 'blocked_address' });
  // The resolved address would let a customer look up names of the internal network.
  expect(JSON.stringify(attempt)).not.toMatch(/10\.0\.0\.1|127\.0\.0|93\.184/);
  expect(dialled).toEqual([]);
});
