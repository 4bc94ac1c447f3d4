import { expect, test } from 'vitest';
import type { Evidence, NoticeEvidence, StoredNotice } from './evidence.ts';
import { at, copy, good, notice, outage } from './good-run.ts';
import { judge } from './judge.ts';

const changed = (changes: Partial<NoticeEvidence>, downs: Evidence['downs'] = []): string[] =>
  judge({ ...good, downs, notices: { ...good.notices, ...changes } });
const mailWith = (changes: Partial<StoredNotice>) => ({ stored: [{ ...notice, ...changes }] });
const takenAt = (...seconds: number[]) => ({
  taken: seconds.map((each) => ({ ...copy, at: each * 1000 })),
});

test('finds no violation in a run whose owner was told', () => {
  expect(judge(good)).toEqual([]);
});

test('excuses the pause after an attempt that a kill of the mail server broke off', () => {
  const downs = [outage('mail server', 'killed', 32, 34)];
  expect(changed({ ...mailWith({ attempts: 2 }), ...takenAt(105) }, downs)).toEqual([]);
});

test('excuses a mail that a killed dispatcher had handed over, and one whose dispatchers were killed all the time', () => {
  const downs = [outage('dispatcher 1', 'killed', 33, 35)];
  expect(changed({ ...mailWith({ attempts: 2, doubts: 1 }), ...takenAt(33, 160) }, downs)).toEqual([]);
  const kills = [30, 40, 50].map((from) => outage('dispatcher 1', 'killed', from, from + 1));
  expect(changed(takenAt(98), kills)).toEqual([]);
});

test.each<[string, Partial<NoticeEvidence>, RegExp]>([
  ['an owner who was not told', { stored: [], taken: [] }, /owner of bad was told in 0 mails/],
  ['a mail that the mail server did not take', { taken: [] }, /mail was not taken, and counts as sent/],
  ['a fact that two mails tell', { stored: [notice, { ...notice, _id: 'second' }] }, /was told in 2 mails/],
  ['a mail that was sent twice without a doubt', takenAt(33, 34), /took the mail mail 2 times/],
  ['an owner who was told too late', takenAt(82), /was told after 61000 ms/],
  ['a mail to somebody else', { taken: [{ ...copy, to: ['other@example.com'] }] }, /went to somebody else/],
  ['a mail that failed', mailWith({ state: 'failed' }), /the mail mail is failed/],
  ['a mail that has not ended', mailWith({ state: 'sending' }), /the mail mail is sending/],
  ['attempts that no fault explains', mailWith({ attempts: 2 }), /took 2 attempts/],
  ['a mail that is not stored', { taken: [copy, { ...copy, mailId: 'strange' }] }, /not stored: strange/],
  ['facts that are left', { untold: 1 }, /1 rows have facts that were not told/],
])('finds %s', (_name, changes, violation) => {
  expect(changed(changes)).toContainEqual(expect.stringMatching(violation));
});

const UNKNOWN = { ...mailWith({ state: 'unknown', attempts: 2, doubts: 1, finalTime: at(60) }), taken: [] };

test('excuses a mail that the mail server did not take, because it was killed at the end of both attempts', () => {
  const downs = [outage('mail server', 'killed', 33, 34), outage('mail server', 'killed', 59, 61)];
  expect(changed(UNKNOWN, downs)).toEqual([]);
});

test('finds a mail that was given up after one fault', () => {
  const downs = [outage('mail server', 'killed', 33, 34), outage('mail server', 'killed', 70, 71)];
  expect(changed(UNKNOWN, downs)).toContainEqual(expect.stringMatching(/took 2 attempts/));
});

test('a fault before or after the mail explains no second attempt', () => {
  const downs = [outage('mail server', 'killed', 30, 31), outage('mail server', 'killed', 70, 71)];
  expect(
    changed({ ...mailWith({ attempts: 2, createdTime: at(32) }), ...takenAt(65) }, downs),
  ).toContainEqual(expect.stringMatching(/took 2 attempts/));
});
