import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { oauthKeysOf } from './keys.ts';

test('derives the secrets of the authorization server, one for each purpose and key', () => {
  const [one, other] = ['A', 'B'].map((letter) => `${letter}:${letter.repeat(43)}=`);
  const both = oauthKeysOf(`${one},${other}`);
  expect(both).toEqual(oauthKeysOf(`${one},${other}`));
  expect(oauthKeysOf(`${other}`)).toEqual({
    storage: both.storage.split(',')[1],
    cookies: both.cookies.slice(1),
    registration: both.registration.slice(1),
    signing: both.signing.slice(1),
  });
  const values = [...both.storage.split(','), ...both.cookies, ...both.signing.map(({ d }) => d)];
  expect(new Set(values.map((value) => value.replace(/^\w:/, '').slice(0, 20))).size).toBe(6);
  for (const key of both.signing) {
    const signed = sign('sha256', Buffer.from('x'), createPrivateKey({ key, format: 'jwk' }));
    const { d, ...open } = key;
    expect(verify('sha256', Buffer.from('x'), createPublicKey({ key: open, format: 'jwk' }), signed)).toBe(
      true,
    );
  }
});
