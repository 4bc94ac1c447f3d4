import { describe, expect, it, vi } from 'vitest';
import { BODY, entries, NOW, refusal, SECRET } from '../test/entries.ts';
import { sign as signNow, type VerifyOptions } from './index.ts';

const header = signNow({ body: BODY, secret: SECRET, timestamp: NOW });
const good: VerifyOptions = { body: BODY, header, secret: SECRET, now: NOW };

describe.each(entries)('verify, $name', (entry) => {
  const codeOf = async (change: object) => (await refusal(() => entry.verify({ ...good, ...change }))).code;

  it('returns only the time of signing', async () => {
    expect(await entry.verify(good)).toEqual({ timestamp: NOW });
  });

  it('"A receiver recomputes it over the raw body, compares it with v1, and rejects a mismatch"', async () => {
    const other = header.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    expect(await codeOf({ header: other })).toBe('mismatch');
    expect(await codeOf({ body: `${BODY} ` })).toBe('mismatch');
  });

  it.each([
    ['no v1', header.replace('v1', 'v2')],
    ['not hex', header.replace(/.$/, 'g')],
    ['one digit too short', header.slice(0, -1)],
    ['one digit too long', `${header}0`],
    ['empty', header.replace(/v1=.*/, 'v1=')],
    ['no time', header.replace(/^t=\d+,/, '')],
  ])('"A malformed or wrong-length signature is rejected before comparing": %s', async (_name, given) => {
    // A failed comparison would report a mismatch.
    expect(await codeOf({ header: given })).toMatch(/^(malformed_header|no_signature)$/);
  });

  it('accepts the body as text, Buffer, Uint8Array and ArrayBuffer', async () => {
    const bytes = new TextEncoder().encode(BODY);
    for (const body of [BODY, Buffer.from(BODY), bytes, bytes.buffer]) {
      expect(await entry.verify({ ...good, body })).toEqual({ timestamp: NOW });
    }
  });

  it('hashes bytes unchanged, even if they are not UTF-8', async () => {
    const body = Uint8Array.of(0xff, 0xfe, 0x00);
    const signature = await entry.sign({ body, secret: SECRET, timestamp: NOW });
    expect(await entry.verify({ ...good, body, header: signature })).toEqual({ timestamp: NOW });
    expect(await codeOf({ body: new TextDecoder().decode(body), header: signature })).toBe('mismatch');
  });

  it('accepts the header as an array with one value, as Node may type it', async () => {
    expect(await entry.verify({ ...good, header: [header] })).toEqual({ timestamp: NOW });
    expect(await codeOf({ header: [header, header] })).toBe('malformed_header');
    expect(await codeOf({ header: [] })).toBe('missing_header');
  });

  it.each([
    ['an API key', `chairside_key_${'a'.repeat(43)}`, 'is an API key or an access token'],
    ['an access token', `chairside_token_${'a'.repeat(43)}`, 'is an API key or an access token'],
    ['a secret without its prefix', 'a'.repeat(43), 'does not begin with "whsec_"'],
    ['the secret of another subscription', `whsec_${'a'.repeat(43)}`, 'Pass the secret of this subscription'],
  ])(
    'reports with a mismatch that the secret is %s, without any part of the secret',
    async (_name, secret, advice) => {
      const error = await refusal(() => entry.verify({ ...good, secret }));
      expect(error.code).toBe('mismatch');
      expect(error.message).toContain(advice);
      expect(error.message).not.toContain('aaa');
    },
  );

  it('explains how to find the header if another value was passed', async () => {
    for (const wrong of [{ 'x-service-signature': header }, new Headers(), 5, true, [5]]) {
      const error = await refusal(() => entry.verify({ ...good, header: wrong as never }));
      expect(error.code).toBe('bad_option');
      expect(error.message).toContain('signatureHeader(');
    }
  });

  it('has a default tolerance of 300 seconds in both directions', async () => {
    for (const now of [NOW + 300, NOW - 300])
      expect(await entry.verify({ ...good, now })).toEqual({ timestamp: NOW });
    expect(await codeOf({ now: NOW + 301 })).toBe('too_old');
    expect(await codeOf({ now: NOW - 301 })).toBe('too_new');
  });

  it('reads the clock if no time is given', async () => {
    vi.useFakeTimers({ now: (NOW + 300) * 1000 + 999, toFake: ['Date'] });
    try {
      expect(await entry.verify({ ...good, now: undefined })).toEqual({ timestamp: NOW });
      vi.setSystemTime((NOW + 301) * 1000);
      expect(await codeOf({ now: undefined })).toBe('too_old');
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, true, null, '300', {}])(
    'refuses %s as a tolerance',
    async (tolerance) => {
      expect(await codeOf({ tolerance })).toBe('bad_option');
    },
  );

  it.each([Number.NaN, -1, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, 1e12, null, '1', new Date()])(
    'refuses %s as now',
    async (now) => {
      expect(await codeOf({ now })).toBe('bad_option');
    },
  );

  it('checks the MAC before the age', async () => {
    expect(await codeOf({ body: '{}', now: NOW + 1000 })).toBe('mismatch');
  });

  it('checks the options before the request', async () => {
    const request = { header: undefined, body: JSON.parse(BODY) };
    expect(await codeOf({ ...request, secret: '', tolerance: 0 })).toBe('bad_secret');
    expect(await codeOf({ ...request, tolerance: 0 })).toBe('bad_option');
    expect(await codeOf(request)).toBe('body_not_raw');
    expect(await codeOf({ header: undefined })).toBe('missing_header');
  });

  it('accepts the old and the new secret during a rotation', async () => {
    const replaced = `${SECRET}new`;
    const both = signNow({ body: BODY, secret: [replaced, SECRET], timestamp: NOW });
    expect(await entry.verify({ ...good, header: both })).toEqual({ timestamp: NOW });
    expect(await entry.verify({ ...good, secret: [replaced, SECRET] })).toEqual({ timestamp: NOW });
    expect(await codeOf({ secret: replaced })).toBe('mismatch');
  });

  it('asks for one object if it is called like another package', async () => {
    const verify = entry.verify as (...values: unknown[]) => Promise<unknown>;
    for (const first of [BODY, Buffer.from(BODY), undefined, null, {}]) {
      const error = await refusal(() => verify(first, header, SECRET));
      expect(error.code).toBe('bad_option');
      expect(error.message).toContain('{ body, header, secret }');
    }
  });
});

describe.each(entries)('unwrap, $name', (entry) => {
  const event = JSON.parse(BODY);

  it('returns the signed event', async () => {
    for (const body of [BODY, Buffer.from(BODY), new TextEncoder().encode(BODY).buffer]) {
      expect(await entry.unwrap({ ...good, body })).toEqual(event);
    }
  });

  it('refuses the same requests as verify, before it parses the body', async () => {
    const error = await refusal(() => entry.unwrap({ ...good, body: 'not json' }));
    expect(error.code).toBe('mismatch');
  });

  it('parses the verified bytes, even if the caller changes the buffer meanwhile', async () => {
    const body = Buffer.from(BODY);
    const unwrapped = entry.unwrap({ ...good, body });
    body.fill('x');
    expect(await unwrapped).toEqual(event);
  });
});
