import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { keyNumberOf, SEAL_BYTES, type SealedPlace, seal, unseal } from '../src/encryption/sealed-value.ts';
import examples from './sealed-values.json' with { type: 'json' };

const keyOf = (base64: string) => createSecretKey(base64, 'base64');
const key = createSecretKey(randomBytes(32));
const place: SealedPlace = { organizationId: 'o', collection: 'patients', _id: 'p', field: 'sealed' };

test.for(examples)(
  'the example "$name" is sealed and opened',
  ({ key: base64, keyNumber, nonce, text, sealed, ...at }) => {
    const bytes = Buffer.from(sealed, 'base64');
    expect(seal(keyOf(base64), keyNumber, text, at, Buffer.from(nonce, 'base64')).toString('base64')).toBe(
      sealed,
    );
    expect(unseal(keyOf(base64), bytes, at)).toBe(text);
    expect(keyNumberOf(bytes)).toBe(keyNumber);
  },
);

test('equal texts have different sealed values, each 31 bytes longer than its text', () => {
  const text = 'Zoë Müller 健太';
  const sealed = Array.from({ length: 3000 }, () => seal(key, 1, text, place));
  expect(new Set(sealed.map((each) => each.toString('hex'))).size).toBe(3000);
  expect(new Set(sealed.map(({ length }) => length))).toEqual(
    new Set([Buffer.byteLength(text) + SEAL_BYTES]),
  );
  for (const each of sealed) expect(unseal(key, each, place)).toBe(text);
});

test('a value with a flipped bit does not open, wherever the bit is', () => {
  const sealed = seal(key, 1, 'notes', place);
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const flipped = Buffer.from(sealed);
    flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    // The header names the key and the form, by which the key is chosen.
    if (bit < 24) expect(keyNumberOf(flipped)).not.toBe(1);
    else expect(() => unseal(key, flipped, place)).toThrow();
  }
});

test('a truncated value does not open', () => {
  const sealed = seal(key, 1, 'notes', place);
  for (let length = 0; length < sealed.length; length++) {
    const truncated = sealed.subarray(0, length);
    if (length < SEAL_BYTES) expect(keyNumberOf(truncated)).toBeUndefined();
    else expect(() => unseal(key, truncated, place)).toThrow();
  }
});

test('a value opens for no other organization, collection, document or field, and with no other key', () => {
  const sealed = seal(key, 1, 'notes', place);
  for (const part of ['organizationId', 'collection', '_id', 'field'] as const) {
    expect(() => unseal(key, sealed, { ...place, [part]: `${place[part]}x` })).toThrow();
  }
  // Two places whose parts are the same text when they are put together.
  expect(() => unseal(key, sealed, { ...place, organizationId: 'op', _id: '' })).toThrow();
  expect(() => unseal(createSecretKey(randomBytes(32)), sealed, place)).toThrow();
});
