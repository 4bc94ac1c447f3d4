import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  counted,
  countingWork,
  inSlices,
  isWorkSpent,
  MAX_WORK_MS,
  SLICE_MS,
  startSlice,
  step,
} from './work.ts';

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

test('the steps of a request in slices wait for turns, a few milliseconds of them in each', async () => {
  const done: string[] = [];
  const batch = (caller: string, steps: number, ms: number) => {
    const work = { ms: 0, caller };
    const ended = countingWork(work, async () => {
      inSlices();
      const all = Array.from({ length: steps }, () => step(compute(ms)));
      for (const one of all) void Promise.resolve(one).then(() => done.push(caller));
      await Promise.all(all);
    });
    return ended.then(() => work.ms);
  };
  const ended = Promise.all([batch('small', 7, 1), batch('large', 2, 50)]);
  const rounds: string[] = [];
  for (let before = 0; done.length < 9; before = done.length) {
    await turn();
    rounds.push(done.slice(before).join(' '));
  }
  const three = 'small small small';
  expect(rounds.filter((round) => round !== '')).toEqual([three, 'large', three, 'large', 'small']);
  expect(await ended).toEqual([7, 100]);
});

test('a step of any other request is made at once, and one that throws is refused', async () => {
  expect(countingWork({ ms: 0 }, () => step(compute(1)))).toBe(1);
  const failing = () => {
    throw new Error('it failed');
  };
  const refused = countingWork({ ms: 0 }, async () => {
    inSlices();
    return step(failing);
  });
  await expect(refused).rejects.toThrow('it failed');
});
