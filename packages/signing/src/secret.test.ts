import { describe, expect, it } from 'vitest';
import { readSecrets } from './secret.ts';
import { SignatureError } from './signature-error.ts';

const LONG = 'x'.repeat(16);

function advice(secret: unknown): string {
  try {
    readSecrets(secret as string);
  } catch (error) {
    if (error instanceof SignatureError && error.code === 'bad_secret') return error.message;
    throw error;
  }
  throw new Error('not refused');
}

describe('readSecrets', () => {
  it('accepts one secret or a list, and keeps the order', () => {
    expect(readSecrets(LONG)).toEqual([LONG]);
    expect(readSecrets([LONG, `${LONG}2`])).toEqual([LONG, `${LONG}2`]);
  });

  it('is not affected by later changes to the list', () => {
    const list = [LONG];
    const secrets = readSecrets(list);
    list[0] = 'changed';
    expect(secrets).toEqual([LONG]);
  });

  it.each([undefined, null, '', [undefined], ['']])(
    'mentions the environment variable if the secret is %j',
    (secret) => {
      expect(advice(secret)).toContain('environment variable');
    },
  );

  it.each(['\n', ' ', '\t', '\r\n', '\ufeff', '\u00a0'])(
    'has its own hint for %j around the secret',
    (space) => {
      expect(advice(LONG + space)).toContain('whitespace');
      expect(advice(space + LONG)).toContain('whitespace');
    },
  );

  it('counts bytes, not characters', () => {
    expect(readSecrets('é'.repeat(8))).toHaveLength(1);
    expect(advice('é'.repeat(7))).toContain('16 bytes');
    expect(advice('x'.repeat(15))).toContain('16 bytes');
  });

  it.each([5, {}, true, Buffer.from(LONG), [Buffer.from(LONG)], () => LONG])(
    'refuses a secret that is not text: %s',
    (secret) => {
      expect(advice(secret)).toContain('string');
    },
  );

  it('accepts one to 16 secrets, and refuses a list with holes', () => {
    expect(advice([])).toContain('an array of 0 secrets; pass 1 to 16');
    expect(readSecrets(Array(16).fill(LONG))).toHaveLength(16);
    expect(advice(Array(17).fill(LONG))).toContain('an array of 17 secrets; pass 1 to 16');
    expect(advice(Array(2))).toContain('environment variable');
  });
});
