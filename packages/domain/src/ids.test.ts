import { expect, test } from 'vitest';
import { idFrom, newId, packId, timeOfId, unpackId } from './ids.ts';

test('an id has the layout of a ULID: 48 bits of time, then 80 random bits, in base 32', () => {
  expect(idFrom(new Date(0), new Uint8Array(10))).toBe('0'.repeat(26));
  expect(idFrom(new Date(2 ** 48 - 1), new Uint8Array(10).fill(255))).toBe(`7${'Z'.repeat(25)}`);
  // This example is taken from the ULID specification.
  expect(idFrom(new Date(1469918176385), new Uint8Array(10)).slice(0, 10)).toBe('01ARYZ6S41');
  expect(idFrom(new Date(0), Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 33)).slice(-2)).toBe('11');
});

test('ids sort by time and do not repeat', () => {
  const ids = Array.from({ length: 1000 }, (_, index) => newId(new Date(1_700_000_000_000 + index)));
  expect(ids).toEqual(ids.toSorted());
  expect(timeOfId(ids[999] ?? '')).toEqual(new Date(1_700_000_000_999));
  const sameTime = Array.from({ length: 1000 }, () => newId(new Date(0)));
  expect(new Set(sameTime).size).toBe(1000);
});

test('packed ids are shorter, keep the order, and can be unpacked', () => {
  const made = Array.from({ length: 400 }, () => newId());
  const ids = [...made, '0'.repeat(26), 'Z'.repeat(26)].toSorted();
  const packed = ids.map((id) => packId(id) ?? new Uint8Array());
  expect(packed.map(unpackId)).toEqual(ids);
  expect(packed.every(({ length }) => length === 17)).toBe(true);
  expect(packed.toSorted(Buffer.compare)).toEqual(packed);
});

test.each(['', 'record-1', '0'.repeat(25), '0'.repeat(27), `${'0'.repeat(25)}I`, `${'0'.repeat(25)}a`])(
  '%j is not packed',
  (id) => {
    expect(packId(id)).toBeUndefined();
  },
);
