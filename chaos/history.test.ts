import { expect, test } from 'vitest';
import { outage } from './good-run.ts';
import { freeTime, hindrancesOf } from './history.ts';

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
