import type { OAuthStore } from '@chairside/mongodb/oauth';
import { type Client, errors } from 'oidc-provider';
import { expect, test } from 'vitest';
import { callers } from './callers.ts';
import { createClientDocuments } from './client-documents.ts';

const APP = 'https://app.example/client.json';
const inNetwork = <T>(address: string, work: () => Promise<T>): Promise<T> =>
  callers.run({ address, requestId: 'r', revokes: false }, work);

test('a document that cannot be fetched in time for one network is still fetched for another one', async () => {
  let fetches = 0;
  const documents = createClientDocuments({
    store: {
      grants: { hasClient: async () => false },
      state: { save: async () => {} },
    } as object as OAuthStore,
    admission: { fetchDocument: async () => undefined },
    hosts: [],
    // The lookups of this network wait behind its own lookups of slow names.
    async fetchDocument() {
      fetches++;
      if (callers.getStore()?.address === '192.0.2.1') throw new DOMException('timed out', 'TimeoutError');
      return new Response('{}');
    },
    failureLifeMs: 60_000,
  });
  /** Fetches the document as oidc-provider does. */
  const find = () =>
    documents.find(APP, async () => {
      try {
        await documents.fetch(APP);
      } catch (cause) {
        throw Object.assign(new errors.InvalidClient('the document cannot be fetched'), { cause });
      }
      return { clientId: APP } as Client;
    });
  const failed = { error: 'temporarily_unavailable' };
  await expect(inNetwork('192.0.2.1', find)).rejects.toMatchObject(failed);
  expect(await inNetwork('192.0.2.2', find)).toEqual({ clientId: APP });
  // The network of the failure does not send the request again.
  await expect(inNetwork('192.0.2.1', find)).rejects.toMatchObject(failed);
  expect(fetches).toBe(2);
});
