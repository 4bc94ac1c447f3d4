import { expect, test } from 'vitest';
import { visibleText } from './visible-text.ts';

test('shows what would hide or turn around text, and nothing else', () => {
  expect(visibleText('gnp.\u202efdp\u2069 \u0000\u009b')).toBe('gnp.\\u202efdp\\u2069 \\u0000\\u009b');
  for (const text of ['Zoë 王小明 👩‍⚕️', 'שלום', 'a\tb\nc', '']) expect(visibleText(text)).toBe(text);
});
