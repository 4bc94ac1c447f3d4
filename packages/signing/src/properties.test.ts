import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entries, refusal } from '../test/entries.ts';

const bytes = fc.uint8Array({ maxLength: 2048 });
const text = fc.string({ unit: 'binary', maxLength: 500 });
const secret = fc
  .string({ unit: 'binary', minLength: 16, maxLength: 100 })
  .filter((value) => value === value.trim());
const timestamp = fc.integer({ min: 0, max: 999_999_999_999 });
const nibble = fc.integer({ min: 1, max: 15 });
const at = fc.nat();
const RUNS = { numRuns: 500 };

/** Damages bytes: one byte is changed, added or removed. */
const damage = fc.oneof(
  fc.record({ kind: fc.constant('change' as const), at, by: fc.integer({ min: 1, max: 255 }) }),
  fc.record({ kind: fc.constant('add' as const), at, by: fc.integer({ min: 0, max: 255 }) }),
  fc.record({ kind: fc.constant('remove' as const), at, by: fc.constant(0) }),
);

function damaged(body: Uint8Array, { kind, at, by }: { kind: string; at: number; by: number }): Uint8Array {
  if (kind === 'add' || body.length === 0) {
    const place = at % (body.length + 1);
    return Uint8Array.from([...body.subarray(0, place), by, ...body.subarray(place)]);
  }
  const place = at % body.length;
  if (kind === 'remove') return Uint8Array.from([...body.subarray(0, place), ...body.subarray(place + 1)]);
  return body.map((byte, index) => (index === place ? byte ^ by : byte));
}

describe.each(entries)('properties, $name', (entry) => {
  it('accepts any bytes that it signed', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, secret, timestamp, async (body, secret, timestamp) => {
        const header = await entry.sign({ body, secret, timestamp });
        expect(await entry.verify({ body, header, secret, now: timestamp })).toEqual({ timestamp });
      }),
      RUNS,
    );
  });

  it('accepts any text that it signed, as text and as UTF-8 bytes', async () => {
    await fc.assert(
      fc.asyncProperty(text, secret, timestamp, async (body, secret, timestamp) => {
        const header = await entry.sign({ body, secret, timestamp });
        const encoded = new TextEncoder().encode(body);
        expect(await entry.verify({ body, header, secret, now: timestamp })).toEqual({ timestamp });
        expect(await entry.verify({ body: encoded, header, secret, now: timestamp })).toEqual({ timestamp });
      }),
      RUNS,
    );
  });

  it('refuses a body with one byte changed, added or removed', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, secret, timestamp, damage, async (body, secret, timestamp, kind) => {
        const header = await entry.sign({ body, secret, timestamp });
        const other = damaged(body, kind);
        fc.pre(Buffer.compare(body, other) !== 0);
        const error = await refusal(() => entry.verify({ body: other, header, secret, now: timestamp }));
        expect(error.code).toBe('mismatch');
      }),
      RUNS,
    );
  });

  it('refuses a signature with one digit changed', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, secret, timestamp, at, nibble, async (body, secret, timestamp, at, by) => {
        const header = await entry.sign({ body, secret, timestamp });
        const place = header.length - 64 + (at % 64);
        const digit = (Number.parseInt(header.charAt(place), 16) ^ by).toString(16);
        const other = header.slice(0, place) + digit + header.slice(place + 1);
        const error = await refusal(() => entry.verify({ body, header: other, secret, now: timestamp }));
        expect(error.code).toBe('mismatch');
      }),
      RUNS,
    );
  });

  it('refuses a timestamp with one digit changed, with any tolerance', async () => {
    await fc.assert(
      fc.asyncProperty(
        bytes,
        secret,
        timestamp,
        at,
        fc.nat({ max: 8 }),
        async (body, secret, timestamp, at, by) => {
          const header = await entry.sign({ body, secret, timestamp });
          const place = 2 + (at % String(timestamp).length);
          const digit = (Number(header.charAt(place)) + 1 + by) % 10;
          const other = header.slice(0, place) + digit + header.slice(place + 1);
          const error = await refusal(() => entry.verify({ body, header: other, secret, tolerance: false }));
          expect(error.code).toBe('mismatch');
        },
      ),
      RUNS,
    );
  });

  it('refuses a secret that differs in one byte', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, secret, timestamp, damage, async (body, secret, timestamp, kind) => {
        const other = new TextDecoder().decode(damaged(new TextEncoder().encode(secret), kind));
        fc.pre(other !== new TextDecoder().decode(new TextEncoder().encode(secret)));
        // HMAC pads a short key with zero bytes, so a secret with zero bytes at its end is the same key.
        fc.pre(other.replace(/\0+$/, '') !== secret.replace(/\0+$/, ''));
        const header = await entry.sign({ body, secret, timestamp });
        const error = await refusal(() => entry.verify({ body, header, secret: other, now: timestamp }));
        expect(['mismatch', 'bad_secret']).toContain(error.code);
      }),
      RUNS,
    );
  });

  it('accepts times within the tolerance and refuses others, exact to the second, in both directions', async () => {
    const seconds = fc.integer({ min: 1, max: 100_000 });
    const middle = fc.integer({ min: 1_000_000, max: 2_000_000_000 });
    await fc.assert(
      fc.asyncProperty(secret, middle, seconds, async (secret, timestamp, tolerance) => {
        const header = await entry.sign({ body: '', secret, timestamp });
        const at = (now: number) => entry.verify({ body: '', header, secret, tolerance, now });
        expect(await at(timestamp + tolerance)).toEqual({ timestamp });
        expect(await at(timestamp - tolerance)).toEqual({ timestamp });
        expect((await refusal(() => at(timestamp + tolerance + 1))).code).toBe('too_old');
        expect((await refusal(() => at(timestamp - tolerance - 1))).code).toBe('too_new');
      }),
      RUNS,
    );
  });
});
