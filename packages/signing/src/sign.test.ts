import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BODY, entries, NOW, refusal, SECRET } from '../test/entries.ts';

const hex = (body: string | Uint8Array, secret = SECRET) =>
  createHmac('sha256', secret).update(`${NOW}.`).update(body).digest('hex');

describe.each(entries)('sign, $name', (entry) => {
  it('writes t and the HMAC over "<t>.<body>"', async () => {
    expect(await entry.sign({ body: BODY, secret: SECRET, timestamp: NOW })).toBe(`t=${NOW},v1=${hex(BODY)}`);
  });

  it('creates the same signature for text, Buffer, Uint8Array and ArrayBuffer of the same bytes', async () => {
    const text = 'Zoë 🦷';
    const bytes = new TextEncoder().encode(text);
    for (const body of [text, Buffer.from(text), bytes, bytes.buffer]) {
      expect(await entry.sign({ body, secret: SECRET, timestamp: NOW })).toBe(`t=${NOW},v1=${hex(text)}`);
    }
  });

  it('signs only the part of the buffer that a view covers', async () => {
    const body = new TextEncoder().encode('[inside]').subarray(1, 7);
    expect(await entry.sign({ body, secret: SECRET, timestamp: NOW })).toBe(`t=${NOW},v1=${hex('inside')}`);
  });

  it('writes one v1 for each of several secrets, in their order', async () => {
    const other = `${SECRET}2`;
    expect(await entry.sign({ body: BODY, secret: [SECRET, other], timestamp: NOW })).toBe(
      `t=${NOW},v1=${hex(BODY)},v1=${hex(BODY, other)}`,
    );
  });

  it('refuses more secrets than a header has signatures', async () => {
    const signed = (count: number) =>
      entry.sign({ body: BODY, secret: Array(count).fill(SECRET), timestamp: NOW });
    expect((await signed(16)).split(',v1=')).toHaveLength(17);
    expect(await refusal(() => signed(17))).toMatchObject({
      code: 'bad_secret',
      message: expect.stringContaining('an array of 17 secrets; pass 1 to 16'),
    });
  });

  it('signs the first and the last valid second', async () => {
    for (const timestamp of [0, 999_999_999_999]) {
      const header = await entry.sign({ body: BODY, secret: SECRET, timestamp });
      expect(await entry.verify({ body: BODY, header, secret: SECRET, now: timestamp })).toEqual({
        timestamp,
      });
    }
  });

  it.each([
    Number.NaN,
    -1,
    1.5,
    Number.POSITIVE_INFINITY,
    1e12,
    '1700000000',
    undefined,
    null,
    1n,
    new Date(),
  ])('refuses %s as a timestamp', async (timestamp) => {
    const error = await refusal(() =>
      entry.sign({ body: BODY, secret: SECRET, timestamp: timestamp as number }),
    );
    expect(error.code).toBe('bad_option');
    expect(error.message).toContain('Math.floor(Date.now() / 1000)');
  });

  it('reports that a timestamp looks like milliseconds', async () => {
    const error = await refusal(() => entry.sign({ body: BODY, secret: SECRET, timestamp: NOW * 1000 }));
    expect(error.message).toContain('milliseconds');
  });

  it('refuses a parsed body and a bad secret like verify', async () => {
    const parsed = JSON.parse(BODY);
    expect(await refusal(() => entry.sign({ body: parsed, secret: SECRET, timestamp: NOW }))).toMatchObject({
      code: 'body_not_raw',
    });
    expect(await refusal(() => entry.sign({ body: BODY, secret: 'short', timestamp: NOW }))).toMatchObject({
      code: 'bad_secret',
    });
  });
});
