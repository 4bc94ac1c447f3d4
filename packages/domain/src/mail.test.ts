import { expect, test } from 'vitest';
import { decideMail, MAIL_LIFE_MS, mailLink, mailPause } from './mail.ts';

const now = new Date('2030-01-31T12:00:00.000Z');
const inMs = (milliseconds: number) => new Date(now.getTime() + milliseconds);
const mail = (changes: Partial<Parameters<typeof decideMail>[0]> = {}) => ({
  attempts: 1,
  doubts: 0,
  deadline: inMs(MAIL_LIFE_MS),
  ...changes,
});

test('a mail that was taken or refused ends', () => {
  expect(decideMail(mail(), { outcome: 'sent' }, now)).toEqual({ next: 'ended', result: 'sent' });
  expect(decideMail(mail(), { outcome: 'refused' }, now)).toEqual({
    next: 'ended',
    result: 'failed',
    cause: 'refused',
  });
});

test('a temporary failure is repeated with growing pauses for two days, and fails then', () => {
  const pauses: number[] = [];
  let time = now;
  for (let attempts = 1; ; attempts++) {
    const decision = decideMail(mail({ attempts }), { outcome: 'temporary' }, time);
    if (decision.next === 'ended') {
      expect(decision).toEqual({ next: 'ended', result: 'failed', cause: 'expired' });
      break;
    }
    pauses.push(decision.dueTime.getTime() - time.getTime());
    time = decision.dueTime;
  }
  expect(pauses.slice(0, 4)).toEqual([30_000, 60_000, 120_000, 240_000]);
  expect(pauses.every((pause, index) => pause >= (pauses[index - 1] ?? 0))).toBe(true);
  expect(pauses.at(-1)).toBe(mailPause(100));
  expect(inMs(MAIL_LIFE_MS).getTime() - time.getTime()).toBeLessThanOrEqual(mailPause(100));
});

test('no attempt is planned beyond the deadline of a mail', () => {
  const soon = mail({ deadline: inMs(29_000) });
  expect(decideMail(soon, { outcome: 'temporary' }, now)).toMatchObject({
    result: 'failed',
    cause: 'expired',
  });
  expect(decideMail(soon, { outcome: 'doubtful' }, now)).toMatchObject({ result: 'unknown' });
});

test('a doubtful mail is repeated once; a second doubt ends it as unknown', () => {
  expect(decideMail(mail(), { outcome: 'doubtful' }, now)).toMatchObject({ next: 'again', doubts: 1 });
  const again = mail({ attempts: 2, doubts: 1 });
  expect(decideMail(again, { outcome: 'doubtful' }, now)).toEqual({ next: 'ended', result: 'unknown' });
  expect(decideMail(again, { outcome: 'sent' }, now)).toEqual({ next: 'ended', result: 'sent' });
  expect(decideMail(again, { outcome: 'temporary' }, now)).toMatchObject({ next: 'again', doubts: 1 });
});

test('a mail whose process died is repeated at once, three times, and counts as a doubt only if it was handed over', () => {
  const early = { outcome: 'abandoned', isInDoubt: false } as const;
  const late = { ...early, isInDoubt: true };
  const again = { next: 'again', dueTime: now };
  expect(decideMail(mail({ attempts: 3 }), early, now)).toEqual({ ...again, doubts: 0 });
  expect(decideMail(mail(), late, now)).toEqual({ ...again, doubts: 1 });
  expect(decideMail(mail({ attempts: 4 }), early, now)).toMatchObject({ dueTime: inMs(mailPause(4)) });
  const doubtful = mail({ attempts: 2, doubts: 1 });
  expect(decideMail(doubtful, late, now)).toEqual({ next: 'ended', result: 'unknown' });
  expect(decideMail(doubtful, early, now)).toEqual({ ...again, doubts: 1 });
});

test('a mail that expires or is refused after a doubt is unknown, because it may have arrived', () => {
  const late = mail({ attempts: 3, doubts: 1, deadline: inMs(1000) });
  expect(decideMail(late, { outcome: 'temporary' }, now)).toEqual({ next: 'ended', result: 'unknown' });
  expect(decideMail(late, { outcome: 'refused' }, now)).toEqual({ next: 'ended', result: 'unknown' });
});

test('a link leads to the dashboard, with the secret in its fragment', () => {
  const link = { path: '/invitation', secret: 's3cret' } as const;
  expect(mailLink('https://dashboard.example.com/', link)).toBe(
    'https://dashboard.example.com/invitation#s3cret',
  );
  expect(mailLink('https://example.com/desk', link)).toBe('https://example.com/desk/invitation#s3cret');
});
