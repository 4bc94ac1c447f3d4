// Computes what an installation needs. Usage: pnpm --filter @chairside/bench capacity [--practices 1000] [--writes 400]
// [--reads 3800] [--lists 200] [--listSize 100] [--newLists 0.1] [--subscriptions 2] [--auditDays 2190] [--simulate]
import { parseArgs } from 'node:util';
import { EXAMPLE, type Practices, tableOf } from './model.ts';
import { comparisonOf, deviations, simulate } from './simulate.ts';

const names = Object.keys(EXAMPLE) as (keyof Practices)[];
const { values } = parseArgs({
  // pnpm hands on its own separator.
  args: process.argv.slice(2).filter((word) => word !== '--'),
  options: {
    ...Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
    simulate: { type: 'boolean' },
  },
});
const given = Object.fromEntries(
  names.map((name) => {
    const value = Number((values as Record<string, unknown>)[name] ?? EXAMPLE[name]);
    if (!(Number.isFinite(value) && value >= 0)) throw new Error(`--${name} must be a number of 0 or more`);
    return [name, value];
  }),
) as Practices;
console.log(tableOf([given]));

if (values.simulate) {
  const { subscriptions, listSize } = given;
  const measured = await simulate({ writes: 200, reads: 200, subscriptions, listSize });
  console.log(`\n${comparisonOf(measured, listSize)}`);
  const wrong = deviations(measured, listSize);
  for (const each of wrong) console.error(`The model is wrong about ${each}.`);
  if (wrong.length > 0) process.exitCode = 1;
}
