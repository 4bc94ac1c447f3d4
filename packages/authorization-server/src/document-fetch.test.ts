import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { trusting } from '@chairside/network';
import { generate } from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';
import { isAllowedHost } from './client-documents.ts';
import { createDocumentFetch } from './document-fetch.ts';
import { DOCUMENT_FETCHES } from './limits.ts';

test('connects to public addresses only, whatever a name resolves to', async () => {
  const addresses = [['10.0.0.1'], ['93.184.215.14', '127.0.0.1'], ['fd00::1'], []];
  for (const found of addresses) {
    const documents = createDocumentFetch(async () =>
      found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
    await expect(documents.fetch('https://app.example/client.json')).rejects.toMatchObject({
      cause: { name: 'BlockedAddressError', isOfName: true },
    });
    await expect(documents.fetch('http://app.example/client.json')).rejects.toMatchObject({
      cause: { name: 'BlockedAddressError', isOfName: false },
    });
    await documents.close();
  }
});

test('accepts documents of the hosts in OAUTH_CLIENT_HOSTS, and of all hosts if it is empty', () => {
  expect(isAllowedHost('https://claude.ai/oauth/client', [])).toBe(true);
  expect(isAllowedHost('https://claude.ai/oauth/client', ['claude.ai'])).toBe(true);
  for (const id of [
    'https://claude.ai.evil.example/x',
    'https://claude.ai:8443/x',
    'https://x.claude.ai/x',
    'claude.ai',
  ])
    expect([id, isAllowedHost(id, ['claude.ai'])]).toEqual([id, false]);
});

test.each([
  ['informational responses', 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'.repeat(1000)],
  ['empty lines', '\r\n'.repeat(30_000)],
])('stops reading from a host that sends endless %s', async (_what, part) => {
  const host = 'app.test';
  const { cert, private: key } = await generate([{ name: 'commonName', value: host }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: host }] }],
  });
  const closed = Promise.withResolvers<void>();
  const flood = (socket: TLSSocket): void => {
    while (!socket.destroyed && socket.write(part));
    socket.once('drain', () => flood(socket));
  };
  const server = createServer({ cert, key, ALPNProtocols: ['h2', 'http/1.1'] }, (socket) => {
    socket.on('error', () => {});
    socket.once('close', () => closed.resolve());
    socket.once('data', () => flood(socket));
  }).listen(0, '127.0.0.1');
  const documents = createDocumentFetch(async () => [{ address: '127.0.0.1', family: 4 }], {
    mayDial: () => true,
    secureContext: trusting([cert]),
  });
  onTestFinished(async () => {
    server.close();
    await documents.close();
  });
  await once(server, 'listening');
  const url = `https://${host}:${(server.address() as AddressInfo).port}/client.json`;
  await expect(documents.fetch(url)).rejects.toMatchObject({
    cause: { message: 'The host of the document has sent too many bytes.' },
  });
  await closed.promise;
});

test('does not compute with a Diffie-Hellman group of the host', async () => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'app.test' }]);
  const ciphers = 'DHE-RSA-AES128-GCM-SHA256';
  const server = createServer({ cert, key, maxVersion: 'TLSv1.2', ciphers, dhparam: 'auto' });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const documents = createDocumentFetch(async () => [{ address: '127.0.0.1', family: 4 }], {
    mayDial: () => true,
  });
  onTestFinished(async () => {
    server.close();
    await documents.close();
  });
  const url = `https://app.test:${(server.address() as AddressInfo).port}/client.json`;
  // The certificate, which is not trusted, would be examined after the key exchange.
  await expect(documents.fetch(url)).rejects.toMatchObject({
    cause: { code: 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE' },
  });
});

test('a lookup that has had no turn when its fetch ends is not made', async () => {
  const lookups: string[] = [];
  const hanging = Promise.withResolvers<never>();
  const documents = createDocumentFetch((host) => {
    lookups.push(host);
    return hanging.promise;
  });
  onTestFinished(() => documents.close());
  const hosts = Array.from({ length: DOCUMENT_FETCHES.atOnceOfCaller }, (_, index) => `${index}.test`);
  const fetches = hosts.map((host) => documents.fetch(`https://${host}/client.json`));
  const late = documents.fetch('https://late.test/client.json');
  await expect(late).rejects.toMatchObject({ cause: { name: 'QueueFullError' } });
  hanging.reject(new Error('not found'));
  await Promise.allSettled(fetches);
  expect(lookups.toSorted()).toEqual(hosts);
});
