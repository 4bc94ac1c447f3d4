// The whole path from the POST of a patient to the arrival of its event at the receiver, on engines with durable
// writes. Measures throughput, delay, CPU, commands and memory, compares them with a minimal implementation of the
// same work, and measures overload. Usage: pnpm --filter @chairside/bench end-to-end [--only
// throughput,delay,load,starts,commands,capacity,overload,burst] [--quick] [--write "what else ran on the machine"]
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { machine, optionOf, today } from '../report.ts';
import { spread } from '../statistics.ts';
import { measureBurst } from './burst.ts';
import { measureCapacity } from './capacity.ts';
import { measureCommands } from './commands.ts';
import { memoryOf, startChairside, startOn, startSameWork } from './contestants.ts';
import { measureDelay } from './delay.ts';
import { type Ground, openGround } from './ground.ts';
import { measureLoad } from './load.ts';
import { findPeak, measureOverload, type Peak } from './overload.ts';
import { type Part, table } from './part.ts';
import { measureStarts } from './starts.ts';
import { measureThroughput } from './throughput.ts';

const PARTS = ['throughput', 'delay', 'load', 'starts', 'commands', 'capacity', 'overload', 'burst'] as const;
type Name = (typeof PARTS)[number];

const chosenParts = (): ReadonlySet<Name> => {
  const only = optionOf('--only')?.split(',') ?? PARTS;
  const unknown = only.filter((name) => !PARTS.some((part) => part === name));
  if (unknown.length > 0) throw new Error(`Unknown part: ${unknown.join(', ')}. Parts: ${PARTS.join(', ')}.`);
  return new Set(only as Name[]);
};

/** The CPU time of each process, for all measurements. */
const cpuText = (parts: readonly Part[]): string => {
  const turns = parts.flatMap((part) => [...part.turns]);
  const processes = [...new Set(turns.flatMap(([, all]) => Object.keys(all[0]?.cpu ?? {})))];
  const rows = turns.map(([name, all]) => [
    name,
    ...processes.map((process) => {
      const each = all.flatMap(({ cpu, events }) =>
        cpu[process] === undefined ? [] : cpu[process] / events,
      );
      return each.length === 0 ? '–' : spread(each, 2);
    }),
  ]);
  return `## CPU

Milliseconds for each event whose write had a response of 200, until every outcome was stored. From \`/proc\`, including child processes.

${table(['', ...processes], rows)}
`;
};

/** Runs the selected parts and returns the report without its head. */
const measure = async (ground: Ground, chosen: ReadonlySet<Name>): Promise<string> => {
  const texts: string[] = [];
  const parts: Part[] = [];
  const add = (part: Part) => {
    parts.push(part);
    texts.push(part.text);
  };
  let peak: Peak | undefined;
  if (chosen.has('throughput') || chosen.has('delay') || chosen.has('load')) {
    const chairside = await startChairside(ground);
    const sameWork = await startSameWork(ground);
    if (chosen.has('throughput')) {
      peak = await findPeak(ground, chairside);
      add(await measureThroughput(ground, [chairside, sameWork], peak.connections));
    }
    if (chosen.has('delay')) add(await measureDelay(ground, [chairside, sameWork]));
    if (chosen.has('load')) {
      add(await measureLoad(ground, chairside, optionOf('--write') !== undefined));
    }
    const { api, dispatcher } = memoryOf(chairside);
    texts.push(
      `The highest resident memory so far: api ${api.toFixed(0)} MiB, dispatcher ${dispatcher.toFixed(0)} MiB.\n`,
    );
    await Promise.all([chairside.stop(), sameWork.app.stop()]);
  }
  if (chosen.has('starts')) add(await measureStarts(ground));
  if (chosen.has('commands')) add(await measureCommands(ground));
  if (chosen.has('capacity')) add(await measureCapacity(ground));
  if (chosen.has('overload')) {
    const chairside = await startChairside(ground);
    peak ??= await findPeak(ground, chairside);
    add(await measureOverload(ground, chairside, peak));
    await chairside.stop();
  }
  if (chosen.has('burst')) {
    const dispatcher = await startOn(ground, 'webhook-dispatcher');
    texts.push(await measureBurst(ground));
    await dispatcher.stop();
  }
  const { due, lost, doubled, ended } = ground.totals;
  const outcomes = [...ended].map(([outcome, times]) => `, ${times} ${outcome}`).join('');
  const account = `Deliveries of the whole run: ${due} due, ${lost} lost, ${doubled} arrived more than once${outcomes}.\n`;
  return [...texts, cpuText(parts), account].join('\n');
};

const headOf = ({ engines }: Ground, remark: string): string => `# From the POST to the receiver

- Command: \`pnpm --filter @chairside/bench end-to-end\`
- Date: ${today()}
- Machine: ${machine()}; everything on it: engines, api, dispatcher, generator, receiver; ${remark}
- Node ${process.versions.node}; ${engines.mongodb.source}${engines.mongodb.started ? ', with fsync' : ''}; ${engines.redis.source}
- Each figure is the median of the rounds, with the lowest and the highest. Contestants take turns in a new order each round.
- *Same work*: one process that inserts the patient with its event in one write, with the write concern of the api, responds,
  signs and POSTs to each subscription and stores the outcomes. It has no queue, no authentication, no limits, no encryption and no audit.
- \`EVENT_BYTES_PER_MINUTE\` is raised, so that the load meets no limit of an organization.

`;

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => ending.abort(new Error(`ended by ${signal}`)));
}
const ended = new Promise<never>((_, reject) => {
  ending.signal.addEventListener('abort', () => reject(ending.signal.reason));
});
ended.catch(() => {});

const running = new AsyncDisposableStack();
try {
  const chosen = chosenParts();
  const ground = await openGround(running, ending.signal, process.argv.includes('--quick'));
  const report = await Promise.race([measure(ground, chosen), ended]);
  console.log(`\n${report}`);
  const remark = optionOf('--write');
  if (remark !== undefined) {
    writeFileSync(join(import.meta.dirname, 'results.md'), headOf(ground, remark) + report);
  }
  process.exitCode = ground.totals.lost + ground.totals.doubled === 0 ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await running.disposeAsync();
}
process.exit();
