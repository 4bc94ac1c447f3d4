import { expect, test } from 'vitest';
import { isAllowedHost } from './client-documents.ts';
import { createDocumentFetch } from './document-fetch.ts';

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
