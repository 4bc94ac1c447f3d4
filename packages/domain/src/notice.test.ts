import { expect, test } from 'vitest';
import {
  decideNotices,
  GATHERING_MS,
  MAX_FACTS_IN_NOTICE,
  MAX_GATHERING_MS,
  NOTICE_PAUSE_MS,
  type NoticeFact,
  type NoticeKind,
  type ToldFact,
} from './notice.ts';

const START = new Date('2030-01-31T12:00:00.000Z');
const after = (milliseconds: number) => new Date(START.getTime() + milliseconds);
const fact = (subject: string, atMs = 0, kind: NoticeKind = 'subscriptionDisabled'): NoticeFact => ({
  ...{ kind, subject },
  occurrence: String(atMs),
  time: after(atMs),
});
const told = (subject: string, atMs = 0, kind: NoticeKind = 'subscriptionDisabled'): ToldFact => ({
  ...{ kind, subject },
  time: after(atMs),
});

test('a fact is told when no other one has followed for ten seconds', () => {
  const facts = [fact('a')];
  expect(decideNotices(facts, [], after(GATHERING_MS - 1))).toEqual({ now: [], later: [] });
  expect(decideNotices(facts, [], after(GATHERING_MS)).now).toEqual(facts);
});

test('further facts are awaited, for 40 s at most', () => {
  const facts = [fact('a'), ...[9, 18, 27, 36].map((second) => fact(`b${second}`, second * 1000))];
  expect(decideNotices(facts, [], after(MAX_GATHERING_MS - 1)).now).toEqual([]);
  expect(decideNotices(facts, [], after(MAX_GATHERING_MS)).now).toEqual(facts);
});

test('what is ready takes along what gathers, and both are in one mail', () => {
  const facts = [fact('a'), fact('app', 9000, 'appConnected')];
  expect(decideNotices(facts, [], after(GATHERING_MS)).now).toEqual(facts);
});

test('the same kind about the same subject is told once an hour; another subject and another kind are not later', () => {
  const again = fact('a', 60_000);
  const others = [fact('b', 60_000), fact('a', 60_000, 'subscriptionRecovered')];
  const decided = decideNotices([again, ...others], [told('a')], after(60_000 + GATHERING_MS));
  expect(decided).toEqual({ now: others, later: [{ fact: again, time: after(NOTICE_PAUSE_MS) }] });
  const late = decideNotices([again], [told('a')], after(NOTICE_PAUSE_MS));
  expect(late.now).toEqual([again]);
});

test('a storm is one mail an hour', () => {
  const storm = Array.from({ length: 500 }, (_, index) => fact(`s${index}`, index * 120));
  const mails: { atMs: number; subjects: string[] }[] = [];
  let history: ToldFact[] = [];
  const known = new Set<string>();
  for (let atMs = 0; atMs <= 3 * NOTICE_PAUSE_MS; atMs += 1000) {
    const waiting = storm.filter((each) => each.time <= after(atMs) && !known.has(each.subject));
    const decided = decideNotices(waiting, history, after(atMs));
    if (decided.now.length === 0) continue;
    mails.push({ atMs, subjects: decided.now.map(({ subject }) => subject) });
    for (const { subject } of decided.now) known.add(subject);
    history = [...history, ...decided.now.map(({ subject }) => told(subject, atMs))];
  }
  expect(mails.map(({ atMs }) => atMs)).toEqual([MAX_GATHERING_MS, MAX_GATHERING_MS + NOTICE_PAUSE_MS]);
  expect(mails.flatMap(({ subjects }) => subjects)).toEqual(storm.map(({ subject }) => subject));
});

test('a storm of one kind delays no other kind', () => {
  const before = Array.from({ length: 100 }, (_, index) => told(`s${index}`));
  const [disabled, app] = [fact('late', 1000), fact('app', 1000, 'appConnected')];
  const decided = decideNotices([disabled, app], before, after(1000 + GATHERING_MS));
  expect(decided.now).toEqual([app]);
  expect(decided.later).toEqual([{ fact: disabled, time: after(NOTICE_PAUSE_MS) }]);
});

test('facts one after the other are told at once, four times in an hour', () => {
  const history: ToldFact[] = [];
  const seconds: number[] = [];
  for (const second of [0, 60, 120, 180, 240]) {
    const next = fact(`s${second}`, second * 1000);
    const atMs = second * 1000 + GATHERING_MS;
    const decided = decideNotices([next], history, after(atMs));
    if (decided.now.length > 0) {
      seconds.push(second);
      history.push(told(next.subject, atMs));
    } else
      expect(decided.later).toEqual([{ fact: next, time: after(180_000 + GATHERING_MS + NOTICE_PAUSE_MS) }]);
  }
  expect(seconds).toEqual([0, 60, 120, 180]);
});

test('a mail tells the oldest facts, up to its maximum', () => {
  const facts = Array.from({ length: MAX_FACTS_IN_NOTICE + 10 }, (_, index) =>
    fact(`s${index}`, 1000 - index),
  );
  const { now } = decideNotices(facts, [], after(1000 + GATHERING_MS));
  expect(now).toHaveLength(MAX_FACTS_IN_NOTICE);
  expect(now[0]).toEqual(facts.at(-1));
  // What is told to many is read again for each of them.
  expect(decideNotices(facts, [], after(1000 + GATHERING_MS), 200).now).toHaveLength(50);
});
