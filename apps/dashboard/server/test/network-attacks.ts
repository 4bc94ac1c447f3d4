import { openAuthorizationServer } from '@chairside/authorization-server';
import { expect, test } from 'vitest';
import { buildApp } from '../src/app.ts';
import { CALLBACK } from './authorization.ts';
import { authorization, client, connect, registration, token } from './oauth-attack-set-up.ts';

/** Attacks with the names of hosts, through proxies, and with many requests. */
export const networkAttacks = (): void => {
  test('the metadata contains no other host, and requests for other hosts are refused', async () => {
    const urls = [
      '/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration',
      '/oauth/jwks',
    ];
    const host = new URL(authorization.issuer).host;
    for (const url of urls) {
      const poisoned = await authorization.app.inject({ url, headers: { host: 'evil.example' } });
      expect([url, poisoned.statusCode]).toEqual([url, 400]);
      const headers = {
        host,
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        forwarded: 'host=evil.example',
      };
      const served = await authorization.app.inject({ url, headers });
      expect([served.statusCode, served.body]).toEqual([200, expect.not.stringContaining('evil.example')]);
      if (url !== '/oauth/jwks')
        expect(served.json().token_endpoint).toBe(`${authorization.issuer}/oauth/token`);
      else expect(served.body).not.toContain('"d"');
    }
    const posted = await authorization.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { host: 'evil.example' },
    });
    expect(posted.statusCode).toBe(400);
  });

  test('behind a proxy that terminates TLS, cookies are for https only', async () => {
    const config = { ...authorization.config, PUBLIC_URL: 'https://dashboard.example.com' };
    const oauth = openAuthorizationServer(config, authorization.dependencies.metrics);
    const app = await buildApp({ ...authorization.dependencies, config, oauth });
    const { url } = await authorization.authorizeUrl(client);
    const { pathname, search } = new URL(url);
    const began = await app.inject({ url: pathname + search, headers: { host: 'dashboard.example.com' } });
    expect(began.statusCode).toBe(303);
    const cookies = [began.headers['set-cookie'] ?? []].flat();
    expect(cookies).toHaveLength(4);
    for (const cookie of cookies)
      expect(cookie).toMatch(
        /^__Secure-chairside-oauth-(interaction|resume)(\.sig)?=.+; path=\/oauth\/(consent|authorize)\/[\w-]+; .*samesite=lax; secure; httponly$/i,
      );
    const metadata = await app.inject({
      url: '/.well-known/oauth-authorization-server',
      headers: { host: 'dashboard.example.com' },
    });
    expect(metadata.json().token_endpoint).toBe('https://dashboard.example.com/oauth/token');
    await app.close();
    await oauth.close();
  });

  test('limits registrations by network and by size, and removes clients that nobody uses', async () => {
    const metadata = { redirect_uris: [CALLBACK] };
    const network = { 'x-forwarded-for': '2001:db8:1:ffff::1' };
    const statuses = await Promise.all(
      Array.from({ length: 22 }, async (_, index) => {
        const address = `2001:db8:1:${index}::1`;
        return (await registration(metadata, { 'x-forwarded-for': address })).status;
      }),
    );
    expect(statuses.toSorted()).toEqual([...Array(20).fill(201), 429, 429]);
    const limited = await registration(metadata, network);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await registration({ ...metadata, client_name: 'x'.repeat(20_000) })).status).toBe(413);
    expect((await registration({ redirect_uris: Array(11).fill(CALLBACK) })).status).toBe(400);
    expect(await authorization.metrics()).toMatch(/oauth_limited_total\{limit="register"\} 3/);

    const clients = authorization.service.database.collection<{ _id: string; expireAt: Date }>(
      'oauthClients',
    );
    const now = Date.now();
    const daysOf = async (id: string) => {
      const client = await clients.findOne({ _id: id });
      return Math.round(((client?.expireAt.getTime() ?? 0) - now) / 86_400_000);
    };
    await connect();
    expect(await daysOf(client.client_id)).toBe(90);
    const unused = await authorization.register();
    expect(await daysOf(unused.client_id)).toBe(1);
    await clients.updateOne({ _id: unused.client_id }, { $set: { expireAt: new Date() } });
    const { response } = await authorization.start(authorization.browser(), unused);
    expect(response.status).toBe(400);
  });

  test('many networks with many registrations keep no other app from registering', async () => {
    const metadata = { redirect_uris: [CALLBACK] };
    const networks = Array.from({ length: 12 }, (_, index) => `203.0.113.${index}`);
    const statuses = await Promise.all(
      networks.flatMap((address) =>
        Array.from(
          { length: 20 },
          async () => (await registration(metadata, { 'x-forwarded-for': address })).status,
        ),
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([201]));
    expect((await registration(metadata)).status).toBe(201);
  });

  test('a network that sends many wrong tokens gets 429, and a right token is served all the same', async () => {
    const { refresh_token } = await connect();
    const send = (value: string, address: string) =>
      token(
        { grant_type: 'refresh_token', refresh_token: value, client_id: client.client_id },
        { 'x-forwarded-for': address },
      );
    const statuses = await Promise.all(
      Array.from({ length: 302 }, async (_, index) => (await send(`wrong ${index}`, '203.0.113.50')).status),
    );
    expect(statuses.toSorted()).toEqual([...Array(300).fill(400), 429, 429]);
    expect((await send('wrong', '203.0.113.51')).status).toBe(400);
    expect((await send(refresh_token, '203.0.113.50')).status).toBe(200);
  });

  test('refuses bodies that are larger than a sign-in or a request for tokens can be', async () => {
    const browser = authorization.browser();
    expect((await browser.post('/session', { email: 'x', password: 'x'.repeat(9000) })).status).toBe(413);
    const large = {
      grant_type: 'refresh_token',
      refresh_token: 'x'.repeat(17_000),
      client_id: client.client_id,
    };
    expect((await token(large)).status).toBe(413);
    // A password of the largest size is a wrong one.
    expect(
      (await browser.post('/session', { email: 'x@example.com', password: '€'.repeat(1000) })).status,
    ).toBe(401);
  });

  test('limits authorizations of one network', async () => {
    const browser = authorization.browser();
    const url = '/oauth/authorize?client_id=unknown';
    const statuses = await Promise.all(
      Array.from({ length: 70 }, async () => (await browser.get(url)).status),
    );
    expect(statuses.toSorted()).toEqual([...Array(60).fill(400), ...Array(10).fill(429)]);
  });
};
