import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { allowedNetworks } from '@chairside/domain';
import { trusting } from '@chairside/network';
import { generate } from 'selfsigned';
import { afterAll, expect, test } from 'vitest';
import { createSender, type Sender } from './send.ts';

const HOST = 'receiver.test';
const DAY = 86_400_000;

const servers: Server[] = [];
const senders: Sender[] = [];
afterAll(async () => {
  await Promise.all(senders.map((sender) => sender.close()));
  for (const server of servers) server.close();
});

const certificate = (name: string, notBefore: number, notAfter: number) =>
  generate([{ name: 'commonName', value: name }], {
    notBeforeDate: new Date(Date.now() + notBefore),
    notAfterDate: new Date(Date.now() + notAfter),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] }],
  });

/** Starts a TLS server with these options and sends one webhook to it. */
const sendTo = async (
  options: ServerOptions,
  trusted: readonly string[] | undefined,
  host = HOST,
  respond: RequestListener = (request, response) => void request.resume().on('end', () => response.end('ok')),
) => {
  let requests = 0;
  const server = createServer(options, (request, response) => {
    requests++;
    respond(request, response);
  });
  server.on('tlsClientError', () => {});
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sender = createSender({
    allowed: allowedNetworks(['127.0.0.0/8']),
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    ...(trusted && { secureContext: trusting(trusted) }),
  });
  senders.push(sender);
  const url = `https://${host}:${(server.address() as AddressInfo).port}/`;
  return { attempt: await sender.send({ url, headers: {}, body: '{}' }), requests };
};

const [good, other, expired, future] = await Promise.all([
  certificate(HOST, -DAY, DAY),
  certificate('other.test', -DAY, DAY),
  certificate(HOST, -2 * DAY, -DAY),
  certificate(HOST, DAY, 2 * DAY),
]);
const pair = ({ cert, private: key }: { cert: string; private: string }) => ({ cert, key });

test('trusts a certification authority from the configuration, and times the phases', async () => {
  const { attempt, requests } = await sendTo(pair(good), [good.cert]);
  expect(attempt).toMatchObject({ outcome: 'succeeded', address: '127.0.0.1', responseBody: 'ok' });
  expect(Object.keys(attempt.timings)).toEqual(['lookup', 'connect', 'tls', 'firstByte']);
  expect(requests).toBe(1);
});

test('names the host without a dot at its end in the TLS handshake, as RFC 6066 requires', async () => {
  const named: string[] = [];
  const options: ServerOptions = {
    ...pair(good),
    SNICallback(name, done) {
      named.push(name);
      done(null);
    },
  };
  const { attempt } = await sendTo(options, [good.cert], `${HOST}.`);
  expect(attempt).toMatchObject({ outcome: 'succeeded' });
  expect(named).toEqual([HOST]);
});

const dateIn = (offset: number): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(Date.now() + offset);

test.each([
  ['is self-signed', pair(good), [], 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['is for another host', pair(other), [other.cert], 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['has expired', pair(expired), [expired.cert], 'CERT_HAS_EXPIRED', `expired on ${dateIn(-DAY)}.`],
  ['is not yet valid', pair(future), [future.cert], 'CERT_NOT_YET_VALID', `not valid before ${dateIn(DAY)}.`],
  [
    'is presented over an old version of TLS',
    { ...pair(good), minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const,
    [good.cert],
    'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
  ],
])(
  'tls: sends nothing to a server whose certificate %s',
  async (_name, options, trusted, code, message = '') => {
    const { attempt, requests } = await sendTo(options, trusted);
    expect(attempt).toMatchObject({
      outcome: 'failed',
      cause: 'tls',
      code,
      reason: expect.stringMatching(/^The receiver.*\.$/),
      address: '127.0.0.1',
    });
    expect(attempt).toHaveProperty('reason', expect.stringContaining(message));
    expect(Object.keys(attempt.timings)).toEqual(['lookup', 'connect', 'tls']);
    expect(requests).toBe(0);
  },
);

const ofAddress = await generate([{ name: 'commonName', value: 'address' }], {
  extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
});
const ofLocalhost = await certificate('localhost', -DAY, DAY);

test('tls: a receiver whose URL has an address needs a certificate of this address', async () => {
  const { attempt } = await sendTo(pair(ofAddress), [ofAddress.cert], '127.0.0.1');
  expect(attempt).toMatchObject({ outcome: 'succeeded' });
  const other = await sendTo(pair(ofLocalhost), [ofLocalhost.cert], '127.0.0.1');
  expect(other.attempt).toMatchObject({ cause: 'tls', code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
});

test('tls: does not verify a chain that is longer than any honest one', async () => {
  const long = { key: good.private, cert: [good.cert, ...Array(30).fill(other.cert)].join('\n') };
  const { attempt, requests } = await sendTo(long, [good.cert]);
  expect(attempt).toMatchObject({
    outcome: 'failed',
    cause: 'tls',
    code: 'CERT_CHAIN_TOO_LONG',
    reason: "The receiver's certificate chain is too long.",
  });
  expect(requests).toBe(0);
});

/** A server that speaks TLS 1.2 only, in which it may choose a Diffie-Hellman group, and renegotiate. */
const old = { ...pair(good), maxVersion: 'TLSv1.2' } as const;

test.each([[undefined], [[good.cert]]])(
  'tls: does not compute with a Diffie-Hellman group of the server, with the authorities %#',
  async (trusted) => {
    const options = { ...old, ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto' } as const;
    const { attempt, requests } = await sendTo(options, trusted);
    expect(attempt).toMatchObject({ outcome: 'failed', code: 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE' });
    expect(requests).toBe(0);
  },
);

test('tls: ends a connection whose server begins another handshake', async () => {
  const handshakes: string[] = [];
  const { attempt } = await sendTo(
    old,
    [good.cert],
    HOST,
    ({ socket }) =>
      void (socket as TLSSocket).renegotiate({ rejectUnauthorized: false }, (error) =>
        handshakes.push(error === null ? 'done' : 'refused'),
      ),
  );
  expect(attempt).toMatchObject({ outcome: 'failed' });
  expect(handshakes).not.toContain('done');
});
