// Compares packages for verifying and signing. In every round each contestant has one turn, in a new order, so that
// other load on the machine affects all of them. The result is the ratio to the floor of the same round. Usage: pnpm
// --filter @chairside/bench signing [--write "what else ran on the machine"]
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { machine, optionOf, today } from '../report.ts';
import { quantile, shuffled } from '../statistics.ts';
import { type Contestant, makeBody, signers, verifiers } from './contestants.ts';

const SIZES = { '1 KiB': 1024, '20 KiB': 20_480, '256 KiB': 262_144 };
const ROUNDS = 151;
const WARM_UP = 15;
// Turns are short, so that the load of the machine is the same for all turns of a round.
const TURN_MS = 4;
const MIN_OPERATIONS = 2;

interface Row {
  name: string;
  note: string;
  perSecond: number;
  ratio: number;
  low: number;
  high: number;
}

/** Operations per second in one turn. */
async function turn({ run }: Contestant, operations: number): Promise<number> {
  const startedAt = performance.now();
  for (let done = 0; done < operations; done++) {
    const result = run();
    if (result instanceof Promise) await result;
  }
  return (operations * 1000) / (performance.now() - startedAt);
}

/** The number of operations that fill a turn at this rate. */
function fill(rate: number): number {
  return Math.max(MIN_OPERATIONS, Math.round((rate * TURN_MS) / 1000));
}

async function compare(contestants: readonly Contestant[]): Promise<Row[]> {
  const rates = new Map(contestants.map(({ name }) => [name, [] as number[]]));
  const turns = new Map<string, number>();
  for (const contestant of contestants) {
    await turn(contestant, 50);
    turns.set(contestant.name, fill(await turn(contestant, 50)));
  }
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    for (const contestant of shuffled(contestants)) {
      const rate = await turn(contestant, turns.get(contestant.name) ?? MIN_OPERATIONS);
      // The first rounds determine how many operations fill a turn after the code has been compiled.
      if (round < WARM_UP) turns.set(contestant.name, fill(rate));
      else rates.get(contestant.name)?.push(rate);
    }
  }
  const floor = rates.get('floor') ?? [];
  return contestants.map(({ name, note }) => {
    const own = rates.get(name) ?? [];
    const ratios = own.map((rate, round) => rate / (floor[round] ?? Number.NaN));
    return {
      name,
      note,
      perSecond: quantile(own, 0.5),
      ratio: quantile(ratios, 0.5),
      low: quantile(ratios, 0.1),
      high: quantile(ratios, 0.9),
    };
  });
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ name, perSecond, ratio, low, high, note }) =>
      `| ${name} | ${Math.round(perSecond).toLocaleString('en')} | ${ratio.toFixed(2)} | ${low.toFixed(2)} to ${high.toFixed(2)} | ${note} |`,
  );
  return ['| | per second | to the floor | spread | |', '|---|---|---|---|---|', ...lines].join('\n');
}

const remark = optionOf('--write');
const sections: string[] = [];
for (const [title, contestantsFor] of [
  ['Verify', verifiers],
  ['Sign', signers],
] as const) {
  for (const [label, size] of Object.entries(SIZES)) {
    const section = `## ${title}, ${label}\n\n${table(await compare(contestantsFor(makeBody(size))))}\n`;
    console.log(section);
    sections.push(section);
  }
}

if (remark !== undefined) {
  const text = `# Verify and sign, compared with the bare primitive and other packages

- Command: \`pnpm --filter @chairside/bench signing\`
- Date: ${today()}
- Machine: ${machine()}, ${process.platform}; ${remark}
- Node ${process.versions.node}, OpenSSL ${process.versions.openssl}
- ${ROUNDS} rounds of about ${TURN_MS} ms for each contestant, in a new order each round, all in one process. "To the floor"
  is the median over the rounds of the ratio within a round; "spread" is its 10th to 90th percentile.

${sections.join('\n')}`;
  writeFileSync(join(import.meta.dirname, 'results.md'), text);
}
