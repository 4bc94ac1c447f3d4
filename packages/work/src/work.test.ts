import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { counted, countingWork, isWorkSpent, MAX_WORK_MS, SLICE_MS, startSlice } from './work.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
});

/** Computes for some milliseconds. */
const compute = (ms: number) => (): number => {
  vi.advanceTimersByTime(ms);
  return ms;
};

test('adds up what is computed for a request, without what it waits for and without what others compute', async () => {
  const request = async (work: { ms: number }, each: number) =>
    countingWork(work, async () => {
      for (let step = 0; step < 3; step++) {
        expect(counted(compute(each))).toBe(each);
        await turn();
        vi.advanceTimersByTime(1000);
      }
      return isWorkSpent();
    });
  const [one, other] = [{ ms: 0 }, { ms: 0 }];
  const spent = await Promise.all([request(one, 10), request(other, 200)]);
  expect([one.ms, other.ms]).toEqual([30, 600]);
  expect(spent).toEqual([false, true]);
});

test('counts a computation inside another one once, and one that throws', () => {
  const work = { ms: 0 };
  countingWork(work, () => {
    counted(() => counted(compute(20)));
    expect(() =>
      counted(() => {
        compute(5)();
        throw new Error('it failed');
      }),
    ).toThrow('it failed');
    counted(compute(1));
  });
  expect(work.ms).toBe(26);
});

test('outside requests, nothing is counted and nothing is spent', () => {
  expect(counted(compute(MAX_WORK_MS))).toBe(MAX_WORK_MS);
  expect(isWorkSpent()).toBe(false);
});

test('one loop has a slice in each round of the event loop, and callers take turns', async () => {
  const turns: string[] = [];
  const loop = (caller: string, name: string) =>
    countingWork({ ms: 0, caller }, async () => {
      const { isOver, pause } = startSlice();
      for (let turn = 1; turn <= 2; turn++) {
        compute(SLICE_MS)();
        expect(isOver()).toBe(true);
        await pause();
        expect(isOver()).toBe(false);
        turns.push(name + turn);
      }
    });
  const ended = Promise.all([...['a', 'b', 'c'].map((name) => loop('greedy', name)), loop('neighbour', 'n')]);
  const rounds: number[] = [];
  while (turns.length < 8) {
    await turn();
    rounds.push(turns.length);
  }
  await ended;
  expect(turns).toEqual(['a1', 'n1', 'b1', 'n2', 'c1', 'a2', 'b2', 'c2']);
  for (const [round, count] of rounds.entries()) expect(count - (rounds[round - 1] ?? 0)).toBeLessThan(2);
});
