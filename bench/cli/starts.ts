import { spawnSync } from 'node:child_process';
import { quantile, shuffled, spread } from '../statistics.ts';
import { CHAIRSIDE, environmentOf } from './command.ts';

const ROUNDS = 60;
const WARM_UP = 3;
const FLOOR = 'node -e 0';

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  [FLOOR]: ['-e', '0'],
  'chairside --version': [CHAIRSIDE, '--version'],
  'chairside --help': [CHAIRSIDE, '--help'],
  'chairside patients list --help': [CHAIRSIDE, 'patients', 'list', '--help'],
};

/** Milliseconds until the process has ended. */
const timeOf = (args: readonly string[]): number => {
  const startedAt = performance.now();
  const { status } = spawnSync(process.execPath, args, { env: environmentOf(), stdio: 'ignore' });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
  return performance.now() - startedAt;
};

/** Starts each command in every round, in a new order. Returns a table. */
export const compareStarts = (): string => {
  const times = new Map(Object.keys(COMMANDS).map((name) => [name, [] as number[]]));
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const [name, args] of shuffled(Object.entries(COMMANDS))) {
      const time = timeOf(args);
      if (round >= 0) times.get(name)?.push(time);
    }
  }
  const floor = times.get(FLOOR) ?? [];
  const rows = [...times].map(([name, own]) => {
    const ratios = own.map((time, round) => time / (floor[round] ?? Number.NaN));
    const [median, low, high] = [0.5, 0.1, 0.9].map((part) => quantile(ratios, part).toFixed(2));
    return `| \`${name}\` | ${spread(own)} | ${median} | ${low} to ${high} |`;
  });
  return [
    `${ROUNDS} rounds after ${WARM_UP} to warm up. *Ratio* is the median of the ratios to \`${FLOOR}\` of the same round, *spread* their 10th to`,
    '90th percentile. The goal is 1.5.',
    '',
    '| Command | milliseconds, median (lowest to highest) | ratio | spread |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
};
