import { appendFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killsOf, makeFaults } from './faults.ts';
import { gather, untilQuiet } from './gather.ts';
import { watchStarvation } from './history.ts';
import { judge } from './judge.ts';
import { startOperator } from './operator.ts';
import type { Options } from './options.ts';
import { table, totalsOf } from './report.ts';
import { type Running, startService } from './service.ts';
import { startWrites } from './writes.ts';

/** How often a long run tells how far it is, in kills. */
const TOLD_EACH = 50;

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(0)} s`;

/** @param logs a folder for what happens and what the processes log */
const runIn = async (
  logs: string,
  { seed, kills, minutes }: Options,
  running: Running,
  signal: AbortSignal,
  print: (line: string) => void,
): Promise<string[]> => {
  const begun = performance.now();
  const watch = watchStarvation();
  running.push({ stop: async () => watch.stop() });
  print(`seed ${seed}, ${kills} kills in at most ${minutes} min`);
  const service = await startService(running, logs, signal, (line) => print(`· ${line}`));
  const writes = startWrites(service, seed, signal);
  const operator = startOperator(service, seed, signal);

  let told = 0;
  const counts = await makeFaults(service, writes, {
    seed,
    kills,
    until: begun + minutes * 60_000,
    signal,
    onFault(fault, done) {
      appendFileSync(join(logs, 'faults.log'), `${JSON.stringify({ time: Date.now(), ...fault })}\n`);
      if (done < told + TOLD_EACH) return;
      told = done;
      print(`· ${done} kills, ${writes.answered.length} writes (${seconds(begun)})`);
    },
  });
  await operator.stop();
  service.receivers.mend();
  print(`· ${killsOf(service)} kills (${seconds(begun)}); waiting for quiet`);
  const unanswered = await writes.stop();
  await untilQuiet(service, signal);
  // What has ended is stored by then, also what was told to be interrupted.
  await service.end();
  const evidence = await gather(service, writes, operator, watch.downs);
  const violations = [...unanswered, ...service.misconduct, ...judge(evidence)];
  writeFileSync(join(logs, 'violations.log'), violations.map((line) => `${line}\n`).join(''));
  writeFileSync(join(logs, 'evidence.json'), JSON.stringify(evidence));

  print('');
  print(
    table([
      ['seed', seed],
      ['time', seconds(begun)],
      ['kills', killsOf(service)],
      ...service.targets.map(({ name, kills: own }) => [`  ${name}`, own] as const),
      ['faults', [...counts.values()].reduce((sum, count) => sum + count, 0)],
      ...[...counts].map(([name, count]) => [`  ${name}`, count] as const),
      ['subscriptions enabled again', operator.enabled],
      ['redeliveries and tests asked for', operator.requested.length],
      ...totalsOf(evidence),
      ['violations', violations.length],
    ]),
  );
  return violations;
};

/**
 * One run: writes and faults together, then quiet, then the verdict.
 *
 * @param running gets everything that was started, also when this throws
 * @returns what was promised and not kept, a line for each
 */
export const runChaos = async (
  options: Options,
  running: Running,
  signal: AbortSignal,
  print: (line: string) => void,
): Promise<string[]> => {
  const logs = await mkdtemp(join(tmpdir(), 'chairside-chaos-'));
  let isNeeded = true;
  running.push({ stop: async () => isNeeded || rm(logs, { recursive: true }) });
  try {
    const violations = await runIn(logs, options, running, signal, print);
    isNeeded = violations.length > 0;
    return violations;
  } catch (error) {
    isNeeded = !signal.aborted;
    throw error;
  } finally {
    if (isNeeded) print(`\nwhat happened, and what the processes logged: ${logs}`);
  }
};
