import { shuffled, spread } from '../statistics.ts';
import { type Chairside, startChairside, startOn } from './contestants.ts';
import { startCountingProxy } from './counting-proxy.ts';
import type { Ground } from './ground.ts';
import { type Part, table } from './part.ts';
import { type Turn, takeTurn } from './turn.ts';

/** The events of a turn. */
const EVENTS = 1500;
const CONNECTIONS = 64;
const ROUNDS = 3;
/** How much later each command reaches the slow database. */
const SLOWER_MS = 5;

/** No server listens on this port. The sweep then finds all events, when they are three seconds old. */
const NO_REDIS = 'redis://127.0.0.1:1';

type Variant = { name: string; chairside: Chairside };

/**
 * Measures the throughput where the model of docs/capacity.md predicts it: with one dispatcher, with two, with a
 * database that takes longer for each command, and without Redis. All processes share the cores of the machine, so a
 * second dispatcher can gain little here.
 */
export const measureCapacity = async (ground: Ground): Promise<Part> => {
  const slow = await startCountingProxy(ground, SLOWER_MS);
  /**
   * The functions that start each variant. Each variant is stopped after its turn, because waiting processes would use
   * the cores too.
   */
  const variants: Readonly<Record<string, () => Promise<Variant['chairside']>>> = {
    'one dispatcher': () => startChairside(ground),
    'two dispatchers': async () => withSecond(ground, await startChairside(ground)),
    [`one dispatcher, each command ${SLOWER_MS} ms later`]: () =>
      startChairside(ground, { MONGODB_URL: slow.url }),
    'one dispatcher, without Redis': () => startChairside(ground, { REDIS_URL: NO_REDIS }),
  };
  const turns = new Map<string, Turn[]>(Object.keys(variants).map((name) => [name, []]));
  for (let round = 1; round <= (ground.isQuick ? 1 : ROUNDS); round++) {
    for (const [name, start] of shuffled(Object.entries(variants))) {
      const chairside = await start();
      await takeTurn(ground, chairside, 1, { connections: CONNECTIONS, pace: { calls: EVENTS / 5 } });
      const pace = { calls: ground.isQuick ? EVENTS / 10 : EVENTS };
      const turn = await takeTurn(ground, chairside, 1, { connections: CONNECTIONS, pace });
      await chairside.stop();
      console.log(round, name, Math.round(turn.perSecond));
      turns.get(name)?.push(turn);
    }
  }
  const rows = [...turns].map(([name, all]) => [
    name,
    spread(all.map(({ perSecond }) => perSecond)),
    spread(all.map(({ responseTimes }) => responseTimes.reduce((a, b) => a + b, 0) / responseTimes.length)),
  ]);
  const text = `## Capacity

Events per second with one subscription and ${CONNECTIONS} connections in a closed loop, and the mean time of a response in milliseconds.

${table(['', 'events per second', 'response, ms'], rows)}

Each turn has ${EVENTS.toLocaleString('en')} events. Without Redis, the first three seconds are the time that the sweep waits before it publishes an event.
`;
  return { text, turns };
};

const withSecond = async (ground: Ground, first: Chairside): Promise<Chairside> => {
  const second = await startOn(ground, 'webhook-dispatcher');
  return {
    ...first,
    processes: { ...first.processes, 'second dispatcher': second.pid },
    stop: async () => void (await Promise.all([first.stop(), second.stop()])),
  };
};
