import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Chairside, ChairsideError, type FetchInit } from './index.ts';

const baseUrl = 'https://api.example.com';
const apiKey = `chairside_key_${'k'.repeat(43)}`;
const accessToken = `chairside_token_${'t'.repeat(43)}`;

const refusal = (options: unknown): ChairsideError => {
  try {
    // The cast allows any value, because callers in JavaScript can pass anything.
    new Chairside(options as never);
  } catch (error) {
    if (error instanceof ChairsideError) return error;
    throw error;
  }
  throw new Error('not refused');
};

describe('the credential', () => {
  it.each([
    ['none', {}, 'Set one of `apiKey`, `accessToken` and `cookie: true`'],
    ['two', { apiKey, accessToken }, 'Set one of'],
    ['a token and the cookie', { accessToken, cookie: true }, 'Set one of'],
    ['a cookie that is not true', { cookie: 'chairside=1' }, '`cookie: true`'],
    ['an empty key', { apiKey: '' }, '`apiKey` must be the secret alone'],
    ['a key with a line break', { apiKey: `${apiKey}\n` }, '`apiKey` must be the secret alone'],
    ['a key with a user name', { apiKey: `user:${apiKey}` }, '`apiKey` must be the secret alone'],
    ['a key that is no text', { apiKey: 7 }, '`apiKey` must be the secret alone'],
    ['a token with a space', { accessToken: 'Token x' }, '`accessToken` must be the secret alone'],
    ['a token as a key', { apiKey: accessToken }, '`apiKey` has the form of an `accessToken`'],
    ['a key as a token', { accessToken: apiKey }, '`accessToken` has the form of an `apiKey`'],
  ])('is refused if there is %s, without showing it', (_, credential, message) => {
    const error = refusal({ baseUrl, ...credential });
    expect(error).toMatchObject({ name: 'InvalidArgument', status: undefined });
    expect(error.message).toContain(message);
    for (const secret of Object.values(credential).filter((value) => String(value).length > 7)) {
      expect(inspect(error)).not.toContain(String(secret).trim());
    }
  });

  it.each([{ apiKey }, { accessToken }])('does not appear when the client is printed', (credential) => {
    const client = new Chairside({ baseUrl, ...credential } as { baseUrl: string; apiKey: string });
    const secret = apiKey.slice(-20);
    const encoded = btoa(apiKey).slice(10, 30);
    const printed = [
      inspect(client, { depth: 10, showHidden: true, getters: true }),
      inspect(client.patients, { depth: 10, showHidden: true }),
      JSON.stringify(client),
      String(client),
      Object.values(client).map((group) => JSON.stringify(group)),
    ].join('\n');
    for (const text of [secret, accessToken.slice(-20), encoded]) expect(printed).not.toContain(text);
    expect(JSON.stringify(client)).toBe(`{"baseUrl":"${baseUrl}"}`);
  });
});

it('with `cookie: true`, the browser sends the cookie only to the origin of the page, and the client sends no credential', async () => {
  const sent: FetchInit[] = [];
  const fetch = async (_url: string, init: FetchInit) => {
    sent.push(init);
    return Response.json([]);
  };
  await new Chairside({ baseUrl, cookie: true, fetch }).clinics.list().page();
  await new Chairside({ baseUrl, accessToken, fetch }).clinics.list({}, { background: true }).page();
  expect(sent[0]).toMatchObject({ credentials: 'same-origin' });
  expect(Object.keys(sent[0]?.headers ?? {})).not.toContain('authorization');
  expect(sent[0]?.headers).not.toHaveProperty('x-background');
  expect(sent[1]).not.toHaveProperty('credentials');
  expect(sent[1]?.headers).toMatchObject({ authorization: `Token ${accessToken}`, 'x-background': '1' });
});

describe('the address', () => {
  it.each([
    [undefined, 'must be the address of the api'],
    ['', 'must be the address of the api'],
    ['api.example.com', 'must be the address of the api'],
    ['http://api.example.com', 'must begin with https://'],
    ['http://127.0.0.1.example.com', 'must begin with https://'],
    ['http://10.0.0.1', 'must begin with https://'],
    ['ftp://api.example.com', 'must begin with https://'],
    ['https://user:pass@api.example.com', 'must have no credentials'],
    ['https://api.example.com?x=1', 'query or fragment'],
    ['https://api.example.com#x', 'query or fragment'],
  ])('%s is refused', (wrong, message) => {
    const error = refusal({ baseUrl: wrong, apiKey });
    expect(error.message).toContain(message);
    expect(error.message).not.toContain('pass@');
  });

  it.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['https://example.com/chairside/', 'https://example.com/chairside'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
  ])('%s is accepted', (right, expected) => {
    expect(new Chairside({ baseUrl: right, apiKey }).baseUrl).toBe(expected);
  });
});

it.each([
  [{ timeout: 0 }, '`timeout`'],
  [{ timeout: Number.NaN }, '`timeout`'],
  [{ timeout: '5' }, '`timeout`'],
  [{ timeout: 2 ** 31 }, '`timeout`'],
  [{ retry: { maxAttempts: 0 } }, '`retry.maxAttempts`'],
  [{ retry: { maxDelay: -1 } }, '`retry.maxDelay`'],
  [{ fetch: 'fetch' }, '`fetch`'],
])('%o is refused', (options, name) => {
  expect(refusal({ baseUrl, apiKey, ...options }).message).toContain(name);
});

it('no options at all are refused with the same error', () => {
  expect(refusal(undefined).name).toBe('InvalidArgument');
});
