import { expect, test, vi } from 'vitest';
import { outage } from './good-run.ts';
import { freeTime, hindrancesOf, watchWrites } from './history.ts';

const downs = [
  outage('mongodb', 'killed', 10, 12),
  outage('dispatcher 1', 'paused', 13, 20),
  outage('dispatcher 1', 'killed', 30, 31),
  outage('dispatcher 2', 'paused', 40, 50),
  outage('redis', 'killed', 60, 61),
  outage('receivers', 'starved', 70, 72),
];
const hindrances = hindrancesOf(downs, (target) => target === 'dispatcher 1');

test.each([
  ['before anything was down', 0, 10, 10],
  ['while no process could work', 13, 20, 0],
  ['across a database outage with the reconnection, and a pause right after', 5, 21, 6],
  ['while its process restarted, or others were paused', 25, 65, 40],
  ['while the receivers got no CPU time', 65, 75, 8],
  ['backwards', 10, 0, 0],
])('counts the free time %s', (_name, begin, end, free) => {
  expect(freeTime(hindrances, begin * 1000, end * 1000)).toBe(free * 1000);
});

test('a write that takes long is a period in which no process could work, also if it fails', async () => {
  vi.useFakeTimers();
  try {
    const takes = [20, 3000, 20];
    const write = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, takes.shift() ?? 0));
      if (takes.length === 1) throw new Error('refused');
    };
    const watch = watchWrites(write);
    const began = Date.now();
    await vi.advanceTimersByTimeAsync(5000);
    watch.stop();
    expect(watch.downs.map(({ from, until }) => [from - began, until - began])).toEqual([[120, 3120]]);
    expect(hindrancesOf(watch.downs, () => false)).toEqual(watch.downs);
  } finally {
    vi.useRealTimers();
  }
});
