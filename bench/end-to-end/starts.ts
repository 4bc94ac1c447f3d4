import { setTimeout as sleep } from 'node:timers/promises';
import { shareOfMemory } from '../processes.ts';
import { quantile, spread } from '../statistics.ts';
import { startChairside } from './contestants.ts';
import type { Ground } from './ground.ts';
import { type Part, table } from './part.ts';
import { type Turn, takeTurn } from './turn.ts';

/** How often api and dispatcher are started. */
const STARTS = 9;
/** How long they rest after the start, before their memory is read. */
const REST_MS = 8000;
const EVENTS = 1000;
/** Turns of {@link EVENTS} after the first one: those that do not count, then those that do. */
const WARM_UPS = 2;
const WARM_TURNS = 3;
/** How often the memory is read under load. */
const LOOK_MS = 250;

/** What one start shows. Memory in MiB, of both processes together. */
type Start = { resting: number; loaded: number; cold: Turn; warm: Turn[] };

const takeStart = async (ground: Ground): Promise<Start> => {
  const chairside = await startChairside(ground);
  const memory = () => shareOfMemory(Object.values(chairside.processes));
  await sleep(REST_MS);
  const resting = memory();
  let loaded = 0;
  const timer = setInterval(() => {
    loaded = Math.max(loaded, memory());
  }, LOOK_MS);
  const take = () => takeTurn(ground, chairside, 1, { connections: 128, pace: { calls: EVENTS } });
  try {
    const cold = await take();
    const warm: Turn[] = [];
    for (let turn = 0; turn < WARM_UPS + WARM_TURNS; turn++) warm.push(await take());
    return { resting, loaded, cold, warm: warm.slice(WARM_UPS) };
  } finally {
    clearInterval(timer);
    await chairside.stop();
  }
};

const median = (turns: readonly Turn[]): number =>
  quantile(
    turns.map(({ perSecond }) => perSecond),
    0.5,
  );

/** Starts api and dispatcher again and again: their memory at rest and at full load, and the speed of the first events. */
export const measureStarts = async (ground: Ground): Promise<Part> => {
  const starts: Start[] = [];
  for (let start = 0; start < (ground.isQuick ? 1 : STARTS); start++) {
    const taken = await takeStart(ground);
    console.log(`start ${start + 1}`, Math.round(taken.cold.perSecond), Math.round(median(taken.warm)));
    starts.push(taken);
  }
  const of = (value: (start: Start) => number, digits?: number) => spread(starts.map(value), digits);
  const rows = [
    [
      of(({ resting }) => resting),
      of(({ loaded }) => loaded),
      of(({ cold }) => cold.perSecond),
      of(({ warm }) => median(warm)),
      of(({ cold, warm }) => cold.perSecond / median(warm), 2),
    ],
  ];
  const head = [
    'memory at rest, MiB',
    'memory at full load, MiB',
    `the first ${EVENTS} events, per second`,
    'warm',
    'first / warm',
  ];
  const text = `## Starts

api and dispatcher started ${starts.length} times, with one subscription. Memory is the proportional set size of both together: ${REST_MS / 1000} s after the
start, and the highest of all turns of a start. Warm is the median of ${WARM_TURNS} turns of ${EVENTS} events, after ${WARM_UPS} others.

${table(head, rows)}
`;
  const turns = new Map([
    ['Chairside, first events', starts.map(({ cold }) => cold)],
    ['Chairside, warm', starts.flatMap(({ warm }) => warm)],
  ]);
  return { text, turns };
};
