import { expect, test } from 'vitest';
import { authorization, browser, token, tokensOf } from './oauth-attack-set-up.ts';

/** Attacks with documents by which apps identify themselves. */
export const clientDocumentAttacks = (): void => {
  const ID = 'https://app.example/client.json';
  const document = { client_id: ID, client_name: 'Assistant', redirect_uris: ['http://localhost/callback'] };
  const serve = (body: object, init: ResponseInit = {}) =>
    authorization.documents.set(ID, async () => Response.json(body, init));

  test('an app identifies itself with a document, and cannot change between the consent page and the redirect', async () => {
    serve(document);
    const app = { client_id: ID };
    const redirect_uri = 'http://localhost:50123/callback';
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

  test('an app whose document is unreachable keeps its connection, and gets 503 until the document is back', async () => {
    serve(document);
    const app = { client_id: ID };
    const redirect_uri = 'http://localhost:50123/callback';
    const started = await authorization.start(browser, app, { redirect_uri });
    const redirect = await authorization.decide(browser, started.uid, 'allow');
    const exchanged = await token({
      grant_type: 'authorization_code',
      code: redirect.searchParams.get('code') ?? '',
      ...app,
      redirect_uri,
      code_verifier: started.verifier,
    });
    const { refresh_token } = await tokensOf(exchanged);
    const refresh = () => token({ grant_type: 'refresh_token', refresh_token, ...app });
    const failures: (() => Promise<Response>)[] = [
      async () => new Response('', { status: 503 }),
      async () => new Response('', { status: 429 }),
      () => Promise.reject(new TypeError('fetch failed')),
      () => Promise.reject(new DOMException('no response', 'TimeoutError')),
    ];
    for (const failure of failures) {
      authorization.documents.set(ID, failure);
      const refused = await refresh();
      expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
        503,
        '2',
        expect.objectContaining({ error: 'temporarily_unavailable' }),
      ]);
    }
    const { response } = await authorization.start(authorization.browser(), app, { redirect_uri });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await response.text()).toContain('Try again in a minute');
    serve(document, { status: 404 });
    expect(await (await refresh()).json()).toMatchObject({ error: 'invalid_client' });
    serve(document);
    // An app stays known even if a network has caused too many fetches of documents.
    const headers = { 'x-forwarded-for': '2001:db8:5::1' };
    const unknown = { grant_type: 'refresh_token', refresh_token: 'x', ...app };
    const statuses = await Promise.all(
      Array.from({ length: 45 }, async () => (await token(unknown, headers)).status),
    );
    expect(new Set(statuses)).toEqual(new Set([400, 503]));
    await tokensOf(await refresh());
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
      'https://localhost/client.json',
      'https://169.254.169.254/latest/meta-data',
    ]) {
      const { response } = await authorization.start(authorization.browser(), { client_id: id });
      expect([id, response.status]).toEqual([id, 400]);
    }
  });
};
