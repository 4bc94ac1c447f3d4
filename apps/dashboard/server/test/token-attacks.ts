import { randomBytes } from 'node:crypto';
import { type AuthorizationServer, openAuthorizationServer } from '@chairside/authorization-server';
import * as oauth4webapi from 'oauth4webapi';
import { expect, test, vi } from 'vitest';
import { buildApp } from '../src/app.ts';
import { CALLBACK, MCP_URL, startIntrospection } from './authorization.ts';
import {
  authorization,
  client,
  connect,
  grantCode,
  secrets,
  token,
  tokensOf,
} from './oauth-attack-set-up.ts';

/** The response of another authorization server to the introspection of a token. */
const introspectAt = async (oauth: AuthorizationServer, accessToken: string): Promise<unknown> => {
  const { dependencies, app } = authorization;
  const introspection = await startIntrospection(oauth, {
    secrets: ['x'],
    metrics: dependencies.metrics,
    log: app.log,
  });
  const response = await introspection.ask(accessToken, 'x');
  const introspected: unknown = await response.json();
  await introspection.close();
  return introspected;
};

/** Attacks on codes, tokens, secrets of clients and keys. */
export const tokenAttacks = (): void => {
  test('a code is valid only for its client, its address, its verifier and its resource, and for one exchange', async () => {
    const other = await authorization.register();
    const { response, started } = await grantCode();
    const code = response.searchParams.get('code') ?? '';
    const right = {
      grant_type: 'authorization_code',
      code,
      client_id: client.client_id,
      redirect_uri: CALLBACK,
      code_verifier: started.verifier,
      resource: MCP_URL,
    };
    const wrong: [Record<string, string>, string][] = [
      [{ client_id: other.client_id }, 'invalid_grant'],
      [{ redirect_uri: 'http://127.0.0.1:10/callback' }, 'invalid_grant'],
      [{ code_verifier: oauth4webapi.generateRandomCodeVerifier() }, 'invalid_grant'],
      [{ code_verifier: '' }, 'invalid_grant'],
      [{ code: `${code}x` }, 'invalid_grant'],
      [{ client_id: 'unknown' }, 'invalid_client'],
    ];
    for (const [change, error] of wrong) {
      const refused = await token({ ...right, ...change });
      expect([change, ((await refused.json()) as { error: string }).error]).toEqual([change, error]);
    }
    // Neither a cookie nor a forwarded host makes a difference.
    const exchanged = await token(right, { cookie: 'chairside=x', 'x-forwarded-host': 'evil.example' });
    expect(exchanged.status).toBe(200);
    const tokens = await tokensOf(exchanged);
    expect(await authorization.introspect(tokens.access_token)).toMatchObject({ active: true });
    const replayed = await token(right);
    expect([replayed.status, await replayed.json()]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_grant' }),
    ]);
    expect(await authorization.introspect(tokens.access_token)).toEqual({ status: 200, active: false });
    const refreshed = await authorization.refresh(client, tokens.refresh_token);
    expect(refreshed.status).toBe(400);
  });

  test('a code for one resource cannot be exchanged for a token of another', async () => {
    const { response, started } = await grantCode();
    const refused = await authorization.exchange(client, response, started, {
      resource: 'https://other.example/mcp',
    });
    expect(await refused.json()).toMatchObject({ error: 'invalid_target' });
    // The introspection of another resource does not accept the token of this one.
    const { access_token } = await connect();
    const metrics = { faulted() {}, grantEnded() {}, clientRegistered() {}, oauthLimited() {} };
    const other = openAuthorizationServer(
      { ...authorization.config, MCP_URL: 'https://other.example/mcp' },
      metrics,
    );
    expect(await introspectAt(other, access_token)).toEqual({ active: false });
    await other.close();
    expect(await authorization.introspect(access_token)).toMatchObject({ active: true });
  });

  test.each([300_000, -300_000])(
    'a dashboard whose machine is %s ms ahead uses what another one has issued',
    async (skew) => {
      const onOtherMachine = async <T>(work: () => Promise<T>): Promise<T> => {
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + skew });
        return work().finally(() => vi.useRealTimers());
      };
      const { response, started } = await grantCode();
      const first = await onOtherMachine(() => authorization.exchange(client, response, started));
      const tokens = await tokensOf(first);
      const here = await authorization.introspect(tokens.access_token);
      const there = await onOtherMachine(() => authorization.introspect(tokens.access_token));
      expect(here).toMatchObject({ active: true });
      expect(Math.abs(Number(here.exp) - Date.now() / 1000 - 28_800)).toBeLessThan(60);
      expect(Math.abs(Number(there.exp) - Number(here.exp))).toBeLessThanOrEqual(1);
      const refreshed = await onOtherMachine(() => authorization.refresh(client, tokens.refresh_token));
      expect(refreshed.status).toBe(200);
    },
  );

  /** The statuses of concurrent requests, and the tokens of the one that succeeded. */
  const race = async (request: () => Promise<Response>) => {
    const responses = await Promise.all(Array.from({ length: 20 }, request));
    const winners = responses.filter(({ ok }) => ok);
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(400)]);
    return tokensOf(winners[0] as Response);
  };

  test('of 20 concurrent exchanges of one code, one succeeds, and its tokens are not valid', async () => {
    const { response, started } = await grantCode();
    const { access_token, refresh_token } = await race(() =>
      authorization.exchange(client, response, started),
    );
    expect(await authorization.introspect(access_token)).toEqual({ status: 200, active: false });
    expect((await authorization.refresh(client, refresh_token)).status).toBe(400);
  });

  test('of 20 concurrent refreshes with one token, one succeeds, and all tokens of the grant end; a later replay ends them too', async () => {
    const first = await connect();
    const { grant_id } = await authorization.introspect(first.access_token);
    const won = await race(() => authorization.refresh(client, first.refresh_token));
    for (const { access_token } of [first, won])
      expect(await authorization.introspect(access_token)).toEqual({ status: 200, active: false });
    expect((await authorization.refresh(client, won.refresh_token)).status).toBe(400);
    const ends = authorization.service.database
      .collection('auditEntries')
      .find({ kind: 'connection', action: 'deleted', ids: String(grant_id) });
    expect(await ends.toArray()).toMatchObject([
      {
        principal: { kind: 'app', id: client.client_id },
        changes: [{ field: 'app' }, { field: 'reason', value: 'replay' }],
      },
    ]);

    const before = await connect();
    const after = await tokensOf(await authorization.refresh(client, before.refresh_token));
    expect(await authorization.introspect(after.access_token)).toMatchObject({ active: true });
    expect((await authorization.refresh(client, before.refresh_token)).status).toBe(400);
    for (const { access_token } of [before, after])
      expect(await authorization.introspect(access_token)).toEqual({ status: 200, active: false });
    expect(await authorization.metrics()).toMatch(/grants_ended_total\{reason="replay"\} [1-9]/);
  });

  test.each(['RefreshToken', 'AccessToken'])(
    'a refresh can be repeated after the database failed to store the %s',
    async (kind) => {
      const { refresh_token } = await connect();
      const { state } = authorization.oauth.store;
      const { save } = state;
      state.save = async (...given) => {
        if (given[0] === kind) throw Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' });
        return save(...given);
      };
      try {
        expect((await authorization.refresh(client, refresh_token)).status).toBe(503);
      } finally {
        state.save = save;
      }
      const { access_token } = await tokensOf(await authorization.refresh(client, refresh_token));
      expect(await authorization.introspect(access_token)).toMatchObject({ active: true });
      // The token has been used, so the next use is the second one.
      expect((await authorization.refresh(client, refresh_token)).status).toBe(400);
    },
  );

  test('a revocation whose grant could not be ended can be repeated, and leaves one entry', async () => {
    const { access_token, refresh_token } = await connect();
    const { grant_id } = await authorization.introspect(access_token);
    const revoke = () =>
      oauth4webapi.revocationRequest(authorization.as, client, oauth4webapi.None(), access_token, {
        [oauth4webapi.allowInsecureRequests]: true,
      });
    const { grants } = authorization.oauth.store;
    const { end } = grants;
    grants.end = async () => {
      throw Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' });
    };
    try {
      expect((await revoke()).status).toBe(503);
    } finally {
      grants.end = end;
    }
    expect((await revoke()).status).toBe(200);
    expect(await authorization.introspect(access_token)).toEqual({ status: 200, active: false });
    expect((await authorization.refresh(client, refresh_token)).status).toBe(400);
    const entries = authorization.service.database
      .collection('auditEntries')
      .countDocuments({ kind: 'connection', action: 'deleted', ids: String(grant_id) });
    expect(await entries).toBe(1);
  });

  test('a key that replaces another under the same id ends the connections of the old one, without an internal error', async () => {
    const { access_token, refresh_token } = await connect();
    const OAUTH_KEYS = authorization.config.OAUTH_KEYS.replaceAll(
      /:[^,]+/g,
      () => `:${randomBytes(32).toString('base64')}`,
    );
    const oauth = openAuthorizationServer(
      { ...authorization.config, OAUTH_KEYS },
      authorization.dependencies.metrics,
    );
    const app = await buildApp({ ...authorization.dependencies, oauth });
    expect(await introspectAt(oauth, access_token)).toEqual({ active: false });
    const refreshed = await app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: {
        host: new URL(authorization.issuer).host,
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: String(
        new URLSearchParams({ grant_type: 'refresh_token', refresh_token, client_id: client.client_id }),
      ),
    });
    // The app must register again.
    expect([refreshed.statusCode, refreshed.json().error]).toEqual([401, 'invalid_client']);
    await app.close();
    await oauth.close();
  });

  test('a registered secret is needed where a client has one', async () => {
    const app = await authorization.register({ token_endpoint_auth_method: 'client_secret_post' });
    secrets.add(String(app.client_secret));
    const { response, started } = await grantCode(app);
    const without = await authorization.exchange(app, response, started);
    expect(((await without.json()) as { error: string }).error).toBe('invalid_client');
    const parameters = oauth4webapi.validateAuthResponse(authorization.as, app, response, started.state);
    const auth = oauth4webapi.ClientSecretPost(String(app.client_secret));
    const { as } = authorization;
    const options = { [oauth4webapi.allowInsecureRequests]: true };
    const exchanged = await oauth4webapi.authorizationCodeGrantRequest(
      as,
      app,
      auth,
      parameters,
      CALLBACK,
      started.verifier,
      options,
    );
    const { access_token } = await tokensOf(exchanged);
    expect(await authorization.introspect(access_token)).toMatchObject({ active: true });
  });
};
