import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashOf, newSecret, openSecrets } from './secrets.ts';

const keyOf = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const place = { collection: 'subscriptions', _id: 'a', field: 'secret' };

test('decrypts a ciphertext for its own field and no other', () => {
  const secrets = openSecrets(keyOf('1'));
  const sealed = secrets.encrypt('whsec_ü', place);
  expect(secrets.decrypt(sealed, place)).toBe('whsec_ü');
  expect(secrets.encrypt('whsec_ü', place)).not.toBe(sealed);
  for (const other of [{ collection: 'apiKeys' }, { _id: 'b' }, { field: 'url' }]) {
    expect(() => secrets.decrypt(sealed, { ...place, ...other })).toThrow();
  }
});

test('refuses a changed ciphertext', () => {
  const secrets = openSecrets(keyOf('1'));
  const [id, base64 = ''] = secrets.encrypt('text', place).split(':');
  const bytes = Buffer.from(base64, 'base64');
  for (let index = 0; index < bytes.length; index++) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(() => secrets.decrypt(`${id}:${changed.toString('base64')}`, place)).toThrow();
  }
});

test('the first key encrypts and all keys decrypt; the error for a missing key contains its id but no key', () => {
  const [old, current] = [keyOf('old'), keyOf('new')];
  const before = openSecrets(old).encrypt('text', place);
  const rotated = openSecrets(`${current},${old}`);
  expect(rotated.decrypt(before, place)).toBe('text');
  expect(rotated.encrypt('text', place)).toMatch(/^new:/);
  expect(() => openSecrets(current).decrypt(before, place)).toThrow(
    '"old" is not among the keys of this process',
  );
});

test('secrets have 256 random bits after their prefix, and are looked up by SHA-256', () => {
  expect(newSecret('chairside_key_')).toMatch(/^chairside_key_[\w-]{43}$/);
  expect(newSecret('x')).not.toBe(newSecret('x'));
  expect(hashOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
