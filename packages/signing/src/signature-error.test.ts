import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { entries, refusal } from '../test/entries.ts';
import { vectors } from '../test/vectors.ts';
import { SignatureError } from './signature-error.ts';

describe('SignatureError', () => {
  it('is an Error with a name and a code', () => {
    const error = new SignatureError('mismatch', 'text');
    expect(error).toBeInstanceOf(Error);
    expect(error).toBeInstanceOf(SignatureError);
    expect(error).toMatchObject({ name: 'SignatureError', code: 'mismatch', message: 'text' });
  });

  it('recognizes errors of another copy of this package, and no others', () => {
    const foreign = Object.assign(new Error('text'), {
      [Symbol.for('@chairside/signing/SignatureError')]: true,
    });
    expect(foreign).toBeInstanceOf(SignatureError);
    for (const other of [
      new Error('text'),
      { name: 'SignatureError', code: 'mismatch' },
      null,
      undefined,
      'text',
    ]) {
      expect(other instanceof SignatureError).toBe(false);
    }
  });

  // Checks everything that a logger may write about an error: text, stack, cause and all fields.
  it.each(entries)('contains no part of body, secret or signature, $name', async (entry) => {
    const body = '{"name":"a patient of ours","broken":';
    const secret = 'whsec_this secret must not be seen';
    const now = 1_700_000_000;
    const header = await entry.sign({ body, secret, timestamp: now });
    const signature = header.slice(header.indexOf('v1=') + 3);
    const wrong = { body: `${body} `, header, secret, now };
    const seen = await Promise.all([
      refusal(() => entry.unwrap({ body, header, secret, now })),
      refusal(() => entry.verify(wrong)),
      refusal(() => entry.verify({ ...wrong, body, now: now + 1000 })),
      refusal(() => entry.verify({ ...wrong, body, now: now - 1000 })),
      refusal(() => entry.verify({ ...wrong, header: `${header}0` })),
      refusal(() => entry.verify({ ...wrong, header: `${header},${header}` })),
      refusal(() => entry.verify({ ...wrong, body: { text: body } as never })),
      refusal(() => entry.verify({ ...wrong, secret: `${secret} ` })),
      refusal(() => entry.verify({ ...wrong, secret: ['short one', secret] })),
      refusal(() => entry.sign({ body, secret: `\n${secret}`, timestamp: now })),
    ]);
    expect(new Set(seen.map((error) => error.code))).toEqual(
      new Set([
        'bad_json',
        'mismatch',
        'too_old',
        'too_new',
        'malformed_header',
        'body_not_raw',
        'bad_secret',
      ]),
    );
    for (const error of seen) {
      const logged = inspect({ ...error, message: error.message, cause: error.cause, text: error.stack });
      for (const private_ of ['a patient', 'must not', 'short one', signature, signature.slice(0, 8)]) {
        expect(logged).not.toContain(private_);
      }
    }
  });

  it('has advice for every refusal of the vectors', async () => {
    const messages = new Map<string, string>();
    for (const { expect: verdict, operation, bodyBase64, ...options } of vectors) {
      if (verdict === 'accept') continue;
      const body = Buffer.from(bodyBase64, 'base64');
      for (const entry of entries) {
        const { message } = await refusal(() => entry[operation]({ ...options, body }));
        messages.set(`${message}`, verdict);
        expect(message).toMatch(/^\S.{20,}[.)]$/s);
      }
    }
    // Mistakes that need different fixes have different messages, so there are more messages than codes.
    expect(messages.size).toBeGreaterThan(20);
  });
});
