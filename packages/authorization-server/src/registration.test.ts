import { expect, test } from 'vitest';
import { narrowed, narrowedText, registrationTokens } from './registration.ts';

const redirect_uris = ['http://127.0.0.1:33418', 'https://vscode.dev/redirect'];

test('narrows what Visual Studio Code sends', () => {
  expect(
    narrowed({
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      redirect_uris,
      scope: 'clinic:read',
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    }),
  ).toEqual({
    client_name: 'Visual Studio Code',
    client_uri: 'https://code.visualstudio.com',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    redirect_uris,
    scope: 'clinic:read',
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  });
});

test.each([
  ['scope', ''],
  ['scope', 'openid profile email'],
  ['scope', null],
  ['client_uri', ''],
  ['logo_uri', null],
  ['contacts', null],
  ['contacts', []],
  ['response_types', []],
  ['grant_types', []],
  ['tos_uri', ''],
  ['jwks', null],
  ['subject_type', 'pairwise'],
  ['id_token_signed_response_alg', 'RS256'],
  ['default_max_age', 0],
])('leaves out %s: %j', (name, value) => {
  expect(narrowed({ redirect_uris, [name]: value })).toEqual({ redirect_uris });
});

test.each([
  ['grant_types', ['implicit', 'authorization_code'], ['authorization_code']],
  ['grant_types', ['refresh_token', 'refresh_token', 'client_credentials'], ['refresh_token']],
  ['response_types', ['code', 'code id_token', 'token'], ['code']],
  ['scope', 'openid clinic:read  offline_access', 'clinic:read offline_access'],
  // Nothing is left, so the library refuses it.
  ['grant_types', ['client_credentials'], ['client_credentials']],
  ['response_types', ['token'], ['token']],
  ['response_types', 'code', 'code'],
])('narrows %s: %j', (name, value, expected) => {
  expect(narrowed({ redirect_uris, [name]: value })).toEqual({ redirect_uris, [name]: expected });
});

test('changes no text that is not a JSON object', () => {
  for (const text of ['', '{', '[]', 'null', '"x"']) expect(narrowedText(text)).toBe(text);
  expect(narrowedText('{"contacts":null}')).toBe('{}');
});

test('the token of a registration is valid for this registration, under each key', () => {
  const [one, other, both] = [['a'], ['b'], ['b', 'a']].map(registrationTokens);
  const token = one?.of('client') ?? '';
  expect([one, other, both].map((tokens) => tokens?.isOf('client', token))).toEqual([true, false, true]);
  for (const wrong of ['', 'x', `${token}x`, other?.of('client') ?? ''])
    expect(one?.isOf('client', wrong)).toBe(false);
  expect(one?.isOf('other', token)).toBe(false);
});
