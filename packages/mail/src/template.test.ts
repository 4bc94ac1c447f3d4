import { type NoticeRow, type NoticeText, noticeKinds } from '@chairside/domain';
import { expect, test } from 'vitest';
import { noticeSentences, sentences } from './sentences.ts';
import { shownName, writeMail, writeNotice } from './template.ts';

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

const DASHBOARD = 'https://dashboard.example.com/';
const STRANGER = 'Click here https://evil.example/x';
const TEXTS: Readonly<Record<NoticeText['kind'], NoticeText>> = {
  subscriptionFailing: { kind: 'subscriptionFailing', host: 'r.example.com', clinic: STRANGER, failures: 3 },
  subscriptionDisabled: {
    ...{ kind: 'subscriptionDisabled', host: 'r.example.com', clinic: STRANGER },
    ...{ causes: ['timeout', 'dns', 'timeout'], isActive: true },
  },
  subscriptionRecovered: { kind: 'subscriptionRecovered', host: 'r.example.com' },
  credentialEnding: {
    ...{ kind: 'credentialEnding', credential: 'apiKey', name: STRANGER },
    endTime: '2030-02-07T12:00:00.000Z',
  },
  appConnected: { kind: 'appConnected', app: STRANGER, host: 'app.example.com' },
  newReceiverHost: { kind: 'newReceiverHost', host: 'r.example.com' },
  passwordChanged: { kind: 'passwordChanged' },
  factorsChanged: { kind: 'factorsChanged' },
  codesPaused: { kind: 'codesPaused' },
  emailChanged: { kind: 'emailChanged' },
  roleChanged: { kind: 'roleChanged', role: 'staff' },
  newNetwork: { kind: 'newNetwork', network: '192.0.2.7', count: 2 },
};
const rowOf = (kind: NoticeText['kind']): NoticeRow => ({
  ...TEXTS[kind],
  ...{ time: '2030-01-31T12:00:30.000Z', path: `/row-of-${kind}` },
});
const notice = (rows: NoticeRow[], more = 0) =>
  writeNotice({ values: { organizationName: STRANGER }, rows, more }, DASHBOARD);
/** A text without what keeps mail programs from making links. */
const plain = (text: string): string => text.replaceAll('\u2060', '');

test.each(noticeKinds)(
  'a notice of the kind %s begins with our words and has the link to its row',
  (kind) => {
    const { subject, text, html } = notice([rowOf(kind)]);
    expect(subject).toBe(noticeSentences[kind].subject);
    expect(text.split('\n')[0]).toBe(noticeSentences[kind].lead);
    expect(text.split('\n')[0]).toMatch(/^[A-Z].{20,}\.$/);
    expect(text).toContain(`\n\nhttps://dashboard.example.com/row-of-${kind}\n\n`);
    expect(html).toContain(`href="https://dashboard.example.com/row-of-${kind}"`);
    expect(text).toContain('2030-01-31 12:00 UTC: ');
    // A name becomes no link, and no other place than the dashboard is linked.
    for (const shown of [text, html]) expect(shown).not.toContain('evil.example');
    for (const [address] of text.matchAll(/https?:\/\/\S+/g))
      expect(address).toMatch(/^https:\/\/dashboard\.example\.com\//);
  },
);

test('a notice says what happened, with host, clinic and causes', () => {
  const { text } = notice([rowOf('subscriptionDisabled')]);
  expect(plain(text)).toContain(
    'The subscription of r.example.com (clinic Click here https://evil.example/x) was disabled after 20 failures in a row. The last causes: no response came in time; the host name could not be looked up. It is enabled again.',
  );
  const byService = {
    ...rowOf('subscriptionRecovered'),
    kind: 'subscriptionDisabled',
    isActive: false,
  } as NoticeRow;
  expect(plain(notice([byService]).text)).toContain('was disabled by the operator of the service.');
});

test('a host is not cut, because its end tells whose it is', () => {
  const host = `${'trusted.example.com.'.repeat(10)}evil.test`;
  expect(plain(notice([{ ...rowOf('newReceiverHost'), host } as NoticeRow]).text)).toContain(host);
});

test('several facts have one subject, and the number of those that are not described', () => {
  const row = rowOf('subscriptionDisabled');
  expect(notice([row, row], 480).subject).toBe('A webhook subscription was disabled, and 481 more');
  expect(notice([row, row], 480).text).toContain('480 more are shown on the overview:');
  expect(notice([row, rowOf('appConnected')]).subject).toBe('Several notices of Chairside');
});

test('notices to administrators lead to the page that switches them off; those about the account say why they are not', () => {
  const page = 'https://dashboard.example.com/account/notices';
  const [switchable, own] = [notice([rowOf('appConnected')]), notice([rowOf('passwordChanged')])];
  expect(switchable.unsubscribe).toBe(page);
  expect(switchable.text).toContain(`Switch them off here:\n\n${page}`);
  expect(own).not.toHaveProperty('unsubscribe');
  expect(own.text).toContain(
    `cannot be switched off, because it protects your account. Your notices:\n\n${page}`,
  );
  expect(own.text).toContain('If this was not you');
});
