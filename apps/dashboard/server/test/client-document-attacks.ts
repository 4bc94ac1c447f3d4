import { openAuthorizationServer } from '@chairside/authorization-server';
import { expect, test } from 'vitest';
import { authorization, browser, token, tokensOf } from './oauth-attack-set-up.ts';

/** Attacks with documents by which apps identify themselves. */
export const clientDocumentAttacks = (): void => {
  const ID = 'https://app.example/client.json';
  const document = { client_id: ID, client_name: 'Assistant', redirect_uris: ['http://localhost/callback'] };
  const serve = (body: object, init: ResponseInit = {}) =>
    authorization.documents.set(ID, async () => Response.json(body, init));

  const app = { client_id: ID };
  const redirect_uri = 'http://localhost:50123/callback';

  test('an app identifies itself with a document, and cannot change between the consent page and the redirect', async () => {
    serve(document);
    const { uid } = await authorization.start(browser, app, { redirect_uri });
    const details = await browser.get(`/oauth/consent/${uid}/details`);
    expect(await details.json()).toMatchObject({
      app: 'Assistant',
      redirectHost: 'localhost:50123',
      redirectKind: 'loopback',
    });
    const decide = () => browser.post(`/oauth/consent/${uid}/decision`, { decision: 'allow' });
    serve({ ...document, client_name: 'Your dentist' });
    expect((await decide()).status).toBe(409);
    serve(document, { status: 404 });
    expect((await decide()).status).toBe(404);
    serve(document);
    const decided = (await (await decide()).json()) as { location: string };
    const response = new URL((await browser.get(decided.location)).headers.get('location') ?? '');
    expect(response.href).toMatch(/^http:\/\/localhost:50123\/callback\?code=/);
  });

  /** Connects the app of the document. Returns a function that refreshes its tokens. */
  const connectApp = async () => {
    serve(document);
    const started = await authorization.start(browser, app, { redirect_uri });
    const redirect = await authorization.decide(browser, started.uid, 'allow');
    const exchanged = await token({
      grant_type: 'authorization_code',
      code: redirect.searchParams.get('code') ?? '',
      ...app,
      redirect_uri,
      code_verifier: started.verifier,
    });
    let { refresh_token } = await tokensOf(exchanged);
    return async (): Promise<Response> => {
      const response = await token({ grant_type: 'refresh_token', refresh_token, ...app });
      if (response.ok) ({ refresh_token } = await tokensOf(response.clone()));
      return response;
    };
  };
  const failures: (() => Promise<Response>)[] = [
    async () => new Response('', { status: 503 }),
    async () => new Response('', { status: 429 }),
    () => Promise.reject(new TypeError('fetch failed')),
    () => Promise.reject(new DOMException('no response', 'TimeoutError')),
    async () =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('{"client_id":'));
            controller.error(new TypeError('terminated'));
          },
        }),
      ),
  ];

  test('a connected app is served its last good document while the document is unreachable, and another app gets 503', async () => {
    const refresh = await connectApp();
    const other = 'https://other.example/client.json';
    for (const failure of failures) {
      authorization.documents.set(ID, failure).set(other, failure);
      expect((await refresh()).status).toBe(200);
      const { response } = await authorization.start(authorization.browser(), { client_id: other });
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
      expect(await response.text()).toContain('Try again in a minute');
    }
    // The owner of the app has removed the document, or made it invalid.
    for (const gone of [
      async () => new Response('', { status: 404 }),
      async () => new Response('x'.repeat(6000)),
      async () => new Response('no JSON'),
    ]) {
      authorization.documents.set(ID, gone);
      expect(await (await refresh()).json()).toMatchObject({ error: 'invalid_client' });
    }
    serve(document);
    expect((await refresh()).status).toBe(200);
  });

  test('a stranger who opens consent pages and sends requests of apps uses up only what its own network may fetch', async () => {
    const refresh = await connectApp();
    let fetches = 0;
    const id = 'https://stranger.example/client.json';
    authorization.documents.set(id, async () => {
      fetches++;
      return Response.json({ ...document, client_id: id });
    });
    const stranger = authorization.browser();
    const { uid } = await authorization.start(stranger, { client_id: id }, { redirect_uri });
    await Promise.all(Array.from({ length: 60 }, () => stranger.get(`/oauth/consent/${uid}`)));
    // A new minute may begin in between.
    expect([fetches > 1, fetches <= 40]).toEqual([true, true]);

    const headers = { 'x-forwarded-for': '2001:db8:5::1' };
    const send = (client_id: string) =>
      token({ grant_type: 'refresh_token', refresh_token: 'x', client_id }, headers);
    const ofStranger = await Promise.all(Array.from({ length: 45 }, () => send(id)));
    expect(new Set(ofStranger.map(({ status }) => status))).toEqual(new Set([400, 429]));
    for (const refused of ofStranger.filter(({ status }) => status === 429)) {
      expect(await refused.json()).toMatchObject({ error: 'temporarily_unavailable' });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    // The app with a connection stays known, even to this network.
    expect((await send(ID)).status).toBe(400);
    expect((await refresh()).status).toBe(200);
  });

  test('remembers a failure, so that a document that cannot be read is not fetched for each request', async () => {
    let fetches = 0;
    const { config, dependencies } = authorization;
    const other = openAuthorizationServer(config, dependencies.metrics, {
      fetchDocument: () => async () => {
        fetches++;
        return new Response('', { status: 503 });
      },
    });
    for (let attempt = 0; attempt < 3; attempt++)
      await expect(other.provider.Client.find('https://down.example/client.json')).rejects.toMatchObject({
        statusCode: 503,
      });
    expect(fetches).toBe(1);
    await other.close();
  });

  test.each([
    ['is of another client', { ...document, client_id: 'https://other.example/client.json' }],
    ['has a secret', { ...document, token_endpoint_auth_method: 'client_secret_basic', client_secret: 'x' }],
    ['redirects to http', { ...document, redirect_uris: ['http://evil.example/callback'] }],
    ['has a name that hides', { ...document, client_name: 'Claude\u202e' }],
    ['is no object', []],
  ])('refuses a document that %s', async (_what, body) => {
    serve(body);
    const { response } = await authorization.start(
      authorization.browser(),
      { client_id: ID },
      { redirect_uri: 'http://localhost/callback' },
    );
    expect(response.status).toBe(400);
  });

  test('fetches documents from public addresses only', async () => {
    for (const id of [
      'https://127.0.0.1/client.json',
      'https://[::1]/client.json',
      'https://[::ffff:10.0.0.1]/client.json',
      'https://169.254.169.254/latest/meta-data',
    ]) {
      const { response } = await authorization.start(authorization.browser(), { client_id: id });
      expect([id, response.status]).toEqual([id, 400]);
    }
  });

  test('responds alike for a name inside the network and for one that does not exist', async () => {
    const bodyOf = async (client_id: string) => {
      const { response } = await authorization.start(authorization.browser(), { client_id });
      return [response.status, (await response.text()).replace(/[0-9a-f-]{36}/, 'ID')];
    };
    const inside = await bodyOf('https://localhost/client.json');
    expect(inside[0]).toBe(503);
    expect(await bodyOf('https://name-that-does-not-exist.invalid/client.json')).toEqual(inside);
  });
};
