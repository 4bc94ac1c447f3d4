import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quantile, shuffled } from '../statistics.ts';
import type { Contestant } from './contestants.ts';
import type { Ground } from './ground.ts';
import { type Part, table } from './part.ts';
import { plot } from './plot.ts';
import { type Turn, takeTurn } from './turn.ts';

/** Events per second. */
const RATES = [10, 25, 50, 100, 200, 300, 400];
const SECONDS = 8;
const ROUNDS = 3;
const CONNECTIONS = 200;
const WARM_UP = { connections: 16, pace: { rate: 100, seconds: 2 } };

/**
 * Measures the delay from response to arrival at each load, in an open loop, and draws it.
 *
 * @param writes whether the drawing is kept, beside the results
 */
export const measureLoad = async (ground: Ground, chairside: Contestant, writes: boolean): Promise<Part> => {
  const turns = new Map<string, Turn[]>(RATES.map((rate) => [`Chairside at ${rate} per second`, []]));
  await takeTurn(ground, chairside, 1, WARM_UP);
  for (let round = 1; round <= (ground.isQuick ? 1 : ROUNDS); round++) {
    for (const rate of shuffled(RATES)) {
      const pace = { rate, seconds: ground.isQuick ? 2 : SECONDS };
      const turn = await takeTurn(ground, chairside, 1, { connections: CONNECTIONS, pace });
      console.log(round, rate, quantile(turn.delays, 0.5).toFixed(1), quantile(turn.delays, 0.99).toFixed(1));
      turns.get(`Chairside at ${rate} per second`)?.push(turn);
    }
  }
  /** The median of the rounds of this quantile, for each rate. */
  const delaysAt = (part: number): number[] =>
    [...turns.values()].map((all) =>
      quantile(
        all.map(({ delays }) => quantile(delays, part)),
        0.5,
      ),
    );
  const [p50, p99] = [delaysAt(0.5), delaysAt(0.99)];
  const series = [
    { name: 'p50', points: RATES.map((rate, index) => ({ x: rate, y: p50[index] ?? 0 })) },
    { name: 'p99', points: RATES.map((rate, index) => ({ x: rate, y: p99[index] ?? 0 })) },
  ];
  if (writes) {
    const drawn = plot(series, { x: 'events per second', y: 'response to arrival, ms' });
    writeFileSync(join(import.meta.dirname, 'delay.svg'), drawn);
  }
  const rows = RATES.map((rate, index) => [rate, p50[index]?.toFixed(1) ?? '', p99[index]?.toFixed(1) ?? '']);
  const text = `## Delay by load

Milliseconds from response to arrival with one subscription, in an open loop; medians of the rounds.

![Delay by load](delay.svg)

${table(['events per second', 'p50', 'p99'], rows)}
`;
  return { text, turns };
};
