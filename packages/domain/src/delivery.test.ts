import { expect, test } from 'vitest';
import { MAX_RESPONSE_BODY_BYTES, responseText } from './delivery.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

test.each([
  ['plain', 'plain'],
  ['', ''],
  ['two\r\n\tlines ', 'two lines'],
  ['nul\0 bell\x07 escape\x1b[31m delete\x7f next\x85line', 'nul bell escape[31m delete nextline'],
  ['Zähne 🦷', 'Zähne 🦷'],
])('the text of a response %j', (body, text) => {
  expect(responseText(bytes(body))).toBe(text);
});

test('invalid UTF-8 becomes a replacement character', () => {
  expect(responseText(Uint8Array.of(0x61, 0xff, 0x1f, 0x62))).toBe('a\uFFFDb');
});

test('cuts a response at the limit and never inside a character', () => {
  expect(responseText(bytes('x'.repeat(10_000)))).toHaveLength(MAX_RESPONSE_BODY_BYTES);
  expect(responseText(bytes(`x${'ä'.repeat(10_000)}`))).toBe(`x${'ä'.repeat(2047)}`);
});
