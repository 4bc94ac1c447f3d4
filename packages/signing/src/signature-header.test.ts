import { describe, expect, it } from 'vitest';
import { SignatureError } from './signature-error.ts';
import { parseHeader } from './signature-header.ts';

const HEX = '00ff10'.padEnd(64, 'aB');

function advice(header: string): string {
  try {
    parseHeader(header);
  } catch (error) {
    if (error instanceof SignatureError) return error.message;
    throw error;
  }
  throw new Error('not refused');
}

describe('parseHeader', () => {
  it('keeps the text of t and decodes every v1', () => {
    const { t, timestamp, signatures } = parseHeader(`v1=${HEX},t=0042,v1=${HEX.toUpperCase()}`);
    expect([t, timestamp]).toEqual(['0042', 42]);
    expect(signatures).toEqual([0, 1].map(() => new Uint8Array(Buffer.from(HEX, 'hex'))));
  });

  it('decodes every byte in upper and lower case', () => {
    for (let byte = 0; byte < 256; byte++) {
      const hex = byte.toString(16).padStart(2, '0').repeat(32);
      for (const text of [hex, hex.toUpperCase()]) {
        expect(parseHeader(`t=1,v1=${text}`).signatures[0]).toEqual(new Uint8Array(32).fill(byte));
      }
    }
  });

  it('refuses every other character at every position of a v1', () => {
    for (let code = 0; code < 0x180; code++) {
      const character = String.fromCharCode(code);
      if (/[0-9a-f]/i.test(character)) continue;
      for (const place of [0, 1, 31, 62, 63]) {
        const hex = HEX.slice(0, place) + character + HEX.slice(place + 1);
        expect(() => parseHeader(`t=1,v1=${hex}`)).toThrow(SignatureError);
      }
    }
  });

  it.each([
    ['milliseconds', `t=1700000000000,v1=${HEX}`],
    ['12 digits', `t=17000000000000,v1=${HEX}`],
    ['12 digits', `t=,v1=${HEX}`],
    ['only digits', `t=-1,v1=${HEX}`],
    ['more than one t', `t=1,t=1,v1=${HEX}`],
    ['no t', `v1=${HEX}`],
    ['64 hex digits', 't=1,v1=ab'],
    ['spaces only after commas', `t=1,v1=${HEX},a b=c`],
    ['more than 16', `t=1${`,v1=${HEX}`.repeat(17)}`],
    ['4096', 'x'.repeat(4097)],
  ])('names the mistake: %s', (message, header) => {
    expect(advice(header)).toContain(message);
  });
});
