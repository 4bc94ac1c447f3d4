import { quantile, shuffled, spread } from '../statistics.ts';
import type { Contestant } from './contestants.ts';
import type { Ground } from './ground.ts';
import { type Part, table } from './part.ts';
import { type Turn, takeTurn } from './turn.ts';

/** Events per second. */
const RATES = [20, 100, 400];
const SECONDS = 8;
const ROUNDS = 9;
const WARM_UP = { connections: 16, pace: { rate: 100, seconds: 2 } };
/** The number of connections. At the highest rate, it is enough while responses take less than half a second. */
const CONNECTIONS = 200;

const quantiles = (lists: readonly (readonly number[])[]): string[] =>
  [0.5, 0.99].map((part) =>
    spread(
      lists.map((each) => quantile(each, part)),
      1,
    ),
  );

/**
 * Measures delays at a steady rate in an open loop: each call is made when it is due, regardless of the calls before
 * it.
 */
export const measureDelay = async (ground: Ground, contestants: readonly Contestant[]): Promise<Part> => {
  const turns = new Map<string, Turn[]>();
  const plan = contestants.flatMap((contestant) =>
    RATES.map((rate) => ({ name: `${contestant.name}, ${rate} per second`, contestant, rate })),
  );
  for (const { name } of plan) turns.set(name, []);
  for (const contestant of contestants) await takeTurn(ground, contestant, 1, WARM_UP);
  for (let round = 1; round <= (ground.isQuick ? 1 : ROUNDS); round++) {
    for (const { name, contestant, rate } of shuffled(plan)) {
      const pace = { rate, seconds: ground.isQuick ? 2 : SECONDS };
      const turn = await takeTurn(ground, contestant, 1, { connections: CONNECTIONS, pace });
      console.log(round, name, quantile(turn.delays, 0.5).toFixed(1), quantile(turn.delays, 0.99).toFixed(1));
      turns.get(name)?.push(turn);
    }
  }
  const rows = [...turns].map(([name, all]) => [
    name,
    ...quantiles(all.map(({ delays }) => delays)),
    ...quantiles(all.map(({ wholeDelays }) => wholeDelays)),
    ...quantiles(all.map(({ responseTimes }) => responseTimes)),
    all.reduce((sum, { others }) => sum + Object.values(others).reduce((a, b) => a + b, 0), 0),
  ]);
  const head = [
    'one subscription',
    'response to arrival, p50',
    'p99',
    'due time to arrival, p50',
    'p99',
    'due time to response, p50',
    'p99',
    'responses other than 200',
  ];
  const text = `## Delay

Milliseconds in an open loop. The due time is when the call had to be made; the lateness of the generator counts as delay.

${table(head, rows)}
`;
  return { text, turns };
};
