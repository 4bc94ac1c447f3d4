import { resetPeakMemory } from '../processes.ts';
import { quantile, spread } from '../statistics.ts';
import { type Chairside, type Contestant, memoryOf } from './contestants.ts';
import type { Ground } from './ground.ts';
import { type Part, table } from './part.ts';
import { type Turn, takeTurn } from './turn.ts';

const CONNECTIONS = [4, 8, 16, 32, 64, 128];
const PEAK_SECONDS = 3;
const PEAK_ROUNDS = 2;
const WARM_UP = { connections: 16, pace: { seconds: 2 } };

const TIMES = 4;
const SECONDS = 6;
const ROUNDS = 3;
/** The beginning of the api's message if the database is unreachable. */
const UNREACHABLE = '503 The database is unreachable';

/** The number of connections with the highest throughput, and the throughput of each number. */
export type Peak = { connections: number; text: string };

/** Finds the peak of a closed loop with one subscription. */
export const findPeak = async (ground: Ground, contestant: Contestant): Promise<Peak> => {
  await takeTurn(ground, contestant, 1, WARM_UP);
  const rates = new Map(CONNECTIONS.map((connections) => [connections, [] as number[]]));
  for (let round = 0; round < (ground.isQuick ? 1 : PEAK_ROUNDS); round++) {
    for (const connections of CONNECTIONS) {
      const pace = { seconds: ground.isQuick ? 1 : PEAK_SECONDS };
      const { perSecond } = await takeTurn(ground, contestant, 1, { connections, pace });
      console.log('connections', connections, Math.round(perSecond));
      rates.get(connections)?.push(perSecond);
    }
  }
  const sum = (list: readonly number[]) => list.reduce((total, each) => total + each, 0);
  const [best] = [...rates].sort(([, one], [, other]) => sum(other) - sum(one))[0] ?? [];
  const rows = [...rates].map(([connections, each]) => [connections, spread(each)]);
  return { connections: best ?? Number.NaN, text: table(['connections', 'events per second'], rows) };
};

const countOf = (turns: readonly Turn[], isMeant: (response: string) => boolean): number =>
  turns
    .flatMap(({ others }) => Object.entries(others))
    .reduce((sum, [response, times]) => sum + (isMeant(response) ? times : 0), 0);

/** The responses other than 200, and their counts. */
const listOf = (turns: readonly Turn[]): string => {
  const responses = [...new Set(turns.flatMap(({ others }) => Object.keys(others)))];
  return (
    responses.map((each) => `${countOf(turns, (response) => response === each)} of ${each}`).join('; ') || '–'
  );
};

/**
 * Measures a closed loop at the peak and with four times as many connections, in turns. Each call is sent immediately
 * after the previous response.
 */
export const measureOverload = async (ground: Ground, chairside: Chairside, peak: Peak): Promise<Part> => {
  const settings = [1, TIMES].map((times) => ({
    name: `${times * peak.connections} connections`,
    connections: times * peak.connections,
    turns: [] as Turn[],
    memory: [] as { api: number; dispatcher: number }[],
  }));
  for (let round = 0; round < (ground.isQuick ? 1 : ROUNDS); round++) {
    for (const { name, connections, turns, memory } of settings) {
      for (const { pid } of [chairside.api, chairside.dispatcher]) resetPeakMemory(pid);
      const pace = { seconds: ground.isQuick ? 2 : SECONDS };
      const turn = await takeTurn(ground, chairside, 1, { connections, pace });
      console.log(name, Math.round(turn.perSecond), JSON.stringify(turn.others));
      turns.push(turn);
      memory.push(memoryOf(chairside));
    }
  }
  const peakRates = settings[0]?.turns.map(({ perSecond }) => perSecond) ?? [];
  const columns = settings.map(({ turns, memory }) => ({
    'events per second': spread(turns.map(({ perSecond }) => perSecond)),
    'to the peak of the same round (goal: 0.8)': spread(
      turns.map(({ perSecond }, round) => perSecond / (peakRates[round] ?? Number.NaN)),
      2,
    ),
    'call to response with 200, p50, ms': spread(
      turns.map(({ responseTimes }) => quantile(responseTimes, 0.5)),
    ),
    'the same, p99, ms': spread(turns.map(({ responseTimes }) => quantile(responseTimes, 0.99))),
    'responses with 200': turns.reduce((sum, { events }) => sum + events, 0),
    'responses with 503': countOf(turns, (response) => response.startsWith('503')),
    'of which report an unreachable database': countOf(turns, (response) => response.startsWith(UNREACHABLE)),
    'all responses other than 200': listOf(turns),
    'delivered without a response of 200': turns.reduce(
      (sum, { withoutResponse }) => sum + withoutResponse,
      0,
    ),
    'CPU of the generator, % of a core': spread(
      turns.map(({ cpu, loadTime }) => (100 * (cpu.generator ?? Number.NaN)) / loadTime),
    ),
    'highest memory of the api, MiB': spread(memory.map(({ api }) => api)),
    'highest memory of the dispatcher, MiB': spread(memory.map(({ dispatcher }) => dispatcher)),
  }));
  const [atPeak, beyond] = columns;
  const rows = Object.entries(atPeak ?? {}).map(([name, value]) => [
    name,
    value,
    beyond?.[name as keyof typeof beyond] ?? '–',
  ]);
  const head = ['', ...settings.map(({ name }) => name)];
  const text = `## Overload

The peak of a closed loop with one subscription:

${peak.text}

That peak and ${TIMES} times its connections, in turns of ${SECONDS} s. Each response is followed by the next call at once.

${table(head, rows)}
`;
  return { text, turns: new Map(settings.map(({ name, turns }) => [`Chairside, ${name}`, turns])) };
};
