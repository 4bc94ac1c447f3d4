import * as oauth4webapi from 'oauth4webapi';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Authorization, CALLBACK, MCP_URL, startAuthorization } from './authorization.ts';

let authorization: Authorization;
beforeAll(async () => {
  authorization = await startAuthorization();
});
afterAll(() => authorization.close());

test('an independent client connects, calls, refreshes, and is introspected', async () => {
  const { as, service, issuer } = authorization;
  expect(as).toMatchObject({
    issuer,
    code_challenge_methods_supported: ['S256'],
    response_types_supported: ['code'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  });
  expect(JSON.stringify(as)).not.toContain('introspect');
  const client = await authorization.register();
  const browser = authorization.browser();
  const before = await authorization.start(browser, client);
  expect(before.response.status).toBe(303);
  expect((await browser.get(`/oauth/consent/${before.uid}/details`)).status).toBe(401);
  await browser.signIn(service.practice.administrator);
  const details = await browser.get(`/oauth/consent/${before.uid}/details`);
  expect(await details.json()).toEqual({
    app: 'Inspector',
    redirectHost: '127.0.0.1:9',
    redirectKind: 'loopback',
    organization: 'Test practice',
  });
  const answer = await authorization.answer(browser, before.uid, 'allow');
  expect(answer.href.split('?')[0]).toBe(CALLBACK);
  expect(answer.searchParams.get('iss')).toBe(issuer);
  const response = await authorization.exchange(client, answer, before);
  const tokens = await oauth4webapi.processAuthorizationCodeResponse(as, client, response);
  expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 600, scope: 'clinic:read' });
  const live = await authorization.introspect(tokens.access_token);
  expect(live).toEqual({
    status: 200,
    active: true,
    scope: 'clinic:read',
    client_id: client.client_id,
    sub: service.practice.administrator._id,
    iss: issuer,
    aud: MCP_URL,
    iat: expect.any(Number),
    exp: expect.any(Number),
    token_type: 'Bearer',
    organization_id: service.practice.organizationId,
    grant_id: expect.any(String),
  });
});
