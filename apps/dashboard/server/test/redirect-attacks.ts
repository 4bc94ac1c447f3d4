import * as oauth4webapi from 'oauth4webapi';
import { expect, test } from 'vitest';
import { CALLBACK } from './authorization.ts';
import { authorization, browser, client, grantCode, registration } from './oauth-attack-set-up.ts';

/** Attacks on the registration of redirects, and on the request and the response of an authorization. */
export const redirectAttacks = (): void => {
  test.each([
    ['http', 'http://evil.example/callback'],
    ['a name that begins like one of the own machine', 'http://localhost.evil.example/callback'],
    ['credentials', 'https://claude.ai@evil.example/callback'],
    ['a fragment', 'https://app.example/callback#x'],
    ['a script', 'javascript:alert(1)'],
    ['a scheme that is not allowed', 'vscode://app/callback'],
    ['a host that ends a directive of the policy', "https://a;script-src'.example/callback"],
    ['a host that names a part of the policy', "cursor://$'/callback"],
    ['no URL', 'callback'],
  ])('refuses to register a redirect with %s', async (_what, uri) => {
    for (const application_type of ['web', 'native', undefined]) {
      const refused = await registration({ redirect_uris: [CALLBACK, uri], application_type });
      const { error } = (await refused.json()) as { error: string };
      expect([refused.status, error]).toEqual([400, 'invalid_redirect_uri']);
    }
  });

  test('redirects to registered addresses only; on the own machine to any port; to allowed schemes', async () => {
    const redirect_uris = [
      'https://app.example/callback',
      'http://localhost/callback',
      'cursor://anysphere.cursor/callback',
    ];
    const app = await authorization.register({ redirect_uris, application_type: 'web' });
    for (const uri of [...redirect_uris, 'http://localhost:33418/callback']) {
      const { response, uid } = await authorization.start(browser, app, { redirect_uri: uri });
      expect([uri, response.status]).toEqual([uri, 303]);
      const page = await browser.get(`/oauth/consent/${uid}`);
      const source = uri.startsWith('cursor') ? 'cursor:' : new URL(uri).origin;
      expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' ${source};`);
    }
    for (const uri of [
      undefined,
      'https://app.example/callback/',
      'https://app.example/callback?x=1',
      'https://app.example:8443/callback',
      'https://app.example.evil.example/callback',
      'http://localhost:33418/other',
      'http://127.0.0.1/callback',
      'cursor://other/callback',
    ]) {
      const { response } = await authorization.start(browser, app, { redirect_uri: uri });
      expect([uri, response.status, response.headers.get('location')]).toEqual([uri, 400, null]);
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
    // An error page shows no part of the request as markup.
    const { response } = await authorization.start(browser, { client_id: '<script>alert(1)</script>' });
    expect([response.status, await response.text()]).toEqual([400, expect.not.stringContaining('<script')]);
  });

  test.each([
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no method', { code_challenge_method: undefined }, 'invalid_request'],
    ['a token in the response', { response_type: 'token' }, 'unsupported_response_type'],
    ['a prompt that must not ask', { prompt: 'none' }, 'login_required'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
  ])(
    'refuses an authorization with %s on a page, and redirects nowhere',
    async (_what, parameters, error) => {
      const { response } = await authorization.start(authorization.browser(), client, parameters);
      expect([response.status, response.headers.get('location')]).toEqual([400, null]);
      expect(await response.text()).toContain(`<code>${error}</code>`);
    },
  );

  test('refuses a response mode that needs a script, and a POST', async () => {
    const { response } = await authorization.start(authorization.browser(), client, {
      response_mode: 'form_post',
    });
    expect(response.status).toBe(400);
    const posted = await authorization.browser().post('/oauth/authorize', {});
    expect(posted.status).toBe(404);
  });

  test('refuses an authorization with more than fifty parameters', async () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`x${index}`, '1']));
    const { response } = await authorization.start(authorization.browser(), client, many);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      message: 'An authorization request has at most 50 parameters.',
    });
  });

  test('a client notices the response of another authorization server (mix-up)', async () => {
    const { response, started } = await grantCode();
    const other = { ...authorization.as, issuer: 'https://honest.example' };
    const validate = (as: oauth4webapi.AuthorizationServer, url: URL) =>
      oauth4webapi.validateAuthResponse(as, client, url, started.state);
    expect(() => validate(other, response)).toThrow('unexpected "iss"');
    response.searchParams.delete('iss');
    expect(() => validate(authorization.as, response)).toThrow('"iss"');
  });
};
