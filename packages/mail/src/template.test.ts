import { expect, test } from 'vitest';
import { sentences } from './sentences.ts';
import { shownName, writeMail } from './template.ts';

const kinds = Object.keys(sentences) as (keyof typeof sentences)[];
const link = 'https://dashboard.example.com/invitation#s3cret';
const write = (organizationName: string) =>
  writeMail({ kind: 'invitation', values: { organizationName }, link });

test.each(kinds)('a mail of the kind %s begins with our words, whatever names it has', (kind) => {
  const stranger = 'Click here';
  const { subject, text, html } = writeMail({ kind, values: { organizationName: stranger }, link });
  expect(subject).not.toContain(stranger);
  expect(text.split('\n')[0]).not.toContain(stranger);
  expect(text.split('\n')[0]).toMatch(/^[A-Z].{20,}\.$/);
  expect(/<p>(.*?)<\/p>/.exec(html)?.[1]).not.toContain(stranger);
});

test('text and HTML have the same sentences and the link', () => {
  const { text, html } = write('Practice East');
  expect(text).toContain('Practice: Practice East');
  expect(text).toContain(`\n\n${link}\n\n`);
  expect(html).toContain('<p>Practice: Practice East</p>');
  expect(html).toContain(`<a href="${link}">Accept the invitation</a>`);
});

test('a test mail has no link', () => {
  const { text, html } = writeMail({ kind: 'test', values: { organizationName: '' }, link });
  expect(text).not.toContain('http');
  expect(html).not.toContain('<a ');
});

test('names are escaped in HTML', () => {
  const { html } = write(`<a href='x'>"&`);
  expect(html).toContain('&lt;a href=&#39;x&#39;&gt;&quot;&amp;');
  expect(html).not.toContain("<a href='x'");
});

test('names are cut to 60 characters, without half a character', () => {
  expect(shownName('n'.repeat(61))).toBe(`${'n'.repeat(59)}…`);
  expect(shownName('n'.repeat(60))).toBe('n'.repeat(60));
  expect(shownName('🦷'.repeat(61))).toBe(`${'🦷'.repeat(59)}…`);
});

test('names have one line and no characters that change the direction', () => {
  expect(shownName('East\r\nBcc: x\u202Ey\u0000z')).toBe('East Bcc: x y z');
});

test('names become no links in mail programs', () => {
  expect(shownName('https://evil.example/a')).not.toContain('evil.example');
  expect(shownName('https://evil.example/a')).not.toContain('://');
  expect(shownName('a@evil.example')).not.toContain('@evil');
  expect(shownName('Dr. Albers')).toBe('Dr. Albers');
});
