import { openAuthorizationServer } from '@chairside/authorization-server';
import { freePort } from '@chairside/processes';
import { expect, test } from 'vitest';
import { buildApp } from '../src/app.ts';
import { startIntrospection } from './authorization.ts';
import { authorization, client, connect } from './oauth-attack-set-up.ts';

/** Attacks on the introspection of tokens, and its responses while the database is unreachable. */
export const introspectionAttacks = (): void => {
  test('introspects for the connector only, and not on the public port', async () => {
    const { access_token, refresh_token } = await connect();
    const [, second] = authorization.secrets;
    expect(await authorization.introspect(access_token, second)).toMatchObject({ active: true });
    for (const secret of ['', 'x'.repeat(48), `${second}x`])
      expect(await authorization.introspect(access_token, secret)).toMatchObject({ status: 401 });
    for (const other of [refresh_token, 'x', 'x'.repeat(43)])
      expect(await authorization.introspect(other)).toEqual({ status: 200, active: false });
    const basic = `Basic ${Buffer.from(`connector:${second}`).toString('base64')}`;
    const call = async (init: RequestInit, url = authorization.introspection.url) =>
      (
        await fetch(url, {
          method: 'POST',
          ...init,
          headers: { authorization: basic, ...(init.headers as object) },
        })
      ).status;
    expect(await call({ headers: { authorization: '' }, body: `token=${access_token}` })).toBe(401);
    expect(await call({ body: 'token=' })).toBe(400);
    for (const tool of ['', '$where', 'a.b', '__proto__', 'x'.repeat(65)])
      expect(await call({ body: `token=${access_token}&tool=${tool}` })).toBe(400);
    expect(await call({ body: `token=${'x'.repeat(5000)}` })).toBe(413);
    expect(await call({ method: 'GET' })).toBe(405);
    expect(await call({}, authorization.introspection.url.replace('introspect', 'metrics'))).toBe(404);
    const { issuer } = authorization;
    for (const path of ['/introspect', '/oauth/introspect', '/token/introspection'])
      expect(await call({ headers: { origin: issuer }, body: `token=${access_token}` }, issuer + path)).toBe(
        404,
      );
  });

  test('while the database is unreachable, no response tells an app that a person must sign in again', async () => {
    const { access_token, refresh_token } = await connect();
    const url = `mongodb://127.0.0.1:${await freePort()}/x`;
    const metrics = authorization.dependencies.metrics;
    const patience = { waitMs: 200 };
    const unreachable = openAuthorizationServer({ ...authorization.config, MONGODB_URL: url }, metrics, {
      patience,
    });
    const lines: string[] = [];
    const app = await buildApp(
      { ...authorization.dependencies, oauth: unreachable },
      { stream: { write: (line) => void lines.push(line) } },
    );
    const introspection = await startIntrospection(unreachable, { secrets: ['x'], metrics, log: app.log });
    const { host } = new URL(authorization.issuer);
    const body = { grant_type: 'refresh_token', refresh_token, client_id: client.client_id };
    const [introspected, refreshed, began, found] = await Promise.all([
      introspection.ask(access_token, 'x'),
      app.inject({
        method: 'POST',
        url: '/oauth/token',
        headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
        payload: String(new URLSearchParams(body)),
      }),
      app.inject({ url: '/oauth/authorize', headers: { host } }),
      app.inject({ url: '/.well-known/oauth-authorization-server', headers: { host } }),
    ]);
    expect([introspected.status, introspected.headers.get('retry-after')]).toEqual([503, '2']);
    expect([refreshed.statusCode, refreshed.headers['retry-after'], refreshed.json().error]).toEqual([
      503,
      '2',
      'temporarily_unavailable',
    ]);
    expect([began.statusCode, began.headers['retry-after']]).toEqual([503, '2']);
    expect(found.statusCode).toBe(200);
    for (const secret of [access_token, refresh_token]) expect(lines.join('')).not.toContain(secret);
    const failures = lines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'authorization server failed');
    expect(failures.map(({ requestId }) => requestId)).toEqual([refreshed.headers['x-request-id']]);
    expect(failures.map(({ err }) => err.type)).toEqual([expect.stringMatching(/^Mongo/)]);
    await app.close();
    // The server closes although the request above has left an idle connection.
    await introspection.close();
    await unreachable.close();
  });
};
