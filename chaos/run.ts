import { appendFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBookings } from './bookings.ts';
import { killsOf, makeFaults } from './faults.ts';
import { gather, untilQuiet } from './gather.ts';
import { watchStarvation, watchWrites } from './history.ts';
import { judge } from './judge.ts';
import { startOperator } from './operator.ts';
import type { Options } from './options.ts';
import { startOwners } from './owners.ts';
import { startReplacements } from './replacements.ts';
import { table, totalsOf } from './report.ts';
import { startRotations } from './rotations.ts';
import { type Running, startService } from './service.ts';
import { startPartners } from './sync/partners.ts';
import { startWrites } from './writes.ts';

/** A run prints its progress each time this many kills have been added. */
const REPORT_INTERVAL = 50;
/** A run of so many kills has time for every kind of change. */
const LONG = 100;

/** The longest time in which a part ends after the last fault. What the parts themselves wait for takes at most half of it. */
const END_WITHIN_MS = 600_000;

/** @throws if the end takes longer than END_WITHIN_MS: the part is named, and the run does not wait for ever */
const ended = async <T>(part: string, end: Promise<T>): Promise<T> => {
  const late = sleep(END_WITHIN_MS, undefined, { ref: false }).then(() => {
    throw new Error(`${part} did not end within ${END_WITHIN_MS / 60_000} minutes`);
  });
  return Promise.race([end, late]);
};

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(0)} s`;

/** @param logs the folder for the faults, the evidence and the logs of the processes */
const runIn = async (
  logs: string,
  { seed, kills, minutes }: Options,
  running: Running,
  signal: AbortSignal,
  print: (line: string) => void,
): Promise<string[]> => {
  const startedAt = performance.now();
  const watch = watchStarvation();
  running.push({ stop: async () => watch.stop() });
  print(`seed ${seed}, ${kills} kills in at most ${minutes} min`);
  const service = await startService(running, logs, signal, (line) => print(`· ${line}`));
  // It is in a database of its own, whose documents nobody counts.
  const probe = service.database.client.db(`${service.database.databaseName}_probe`).collection('writes');
  const slow = watchWrites(() => probe.updateOne({}, { $inc: { count: 1 } }, { upsert: true }));
  running.push({ stop: async () => slow.stop() });
  const writes = startWrites(service, seed, signal);
  const operator = startOperator(service, seed, signal);
  const replacements = startReplacements(service, seed, signal);
  const rotations = startRotations(service, signal);
  const bookings = await startBookings(service, seed, signal);
  const partners = await startPartners(service, running, { logs, seed, signal });
  const owners = startOwners(service, signal);

  let reported = 0;
  const counts = await makeFaults(service, writes, {
    seed,
    kills,
    until: startedAt + minutes * 60_000,
    signal,
    onFault(fault, done) {
      appendFileSync(join(logs, 'faults.log'), `${JSON.stringify({ time: Date.now(), ...fault })}\n`);
      if (done < reported + REPORT_INTERVAL) return;
      reported = done;
      print(`· ${done} kills, ${writes.acknowledged.length} writes (${seconds(startedAt)})`);
    },
  });
  await ended('owners', owners.stop());
  await ended('replacements', replacements.stop());
  await ended('rotations', rotations.stop());
  await ended('operator', operator.stop());
  service.receivers.mend();
  print(`· ${killsOf(service)} kills (${seconds(startedAt)}); waiting until no work is left`);
  const withoutResponse = [
    ...(await ended('bookings', bookings.stop())),
    ...(await ended('writes', writes.stop())),
  ];
  await ended('partners', partners.stop());
  await ended('open work', untilQuiet(service, signal));
  // After a shutdown all outcomes are stored, including those that correct `interrupted`.
  await ended('the service', service.end());
  const starved = [...watch.downs, ...slow.downs];
  const evidence = await gather(service, writes, operator, replacements, bookings, partners, owners, starved);
  // A run that is long enough tests everything.
  const untested = [
    ...(rotations.count === 0 ? ['no key was rotated'] : []),
    ...(evidence.notices.owners.every(({ at }) => at === undefined) ? ['no owner had to be told'] : []),
    ...(operator.payloadChanges.every(({ by }) => Number.isNaN(by)) ? ['no payload was changed'] : []),
  ];
  const violations = [
    ...withoutResponse,
    ...service.misconduct,
    ...rotations.refused,
    ...(kills >= LONG ? untested : []),
    ...judge(evidence),
  ];
  writeFileSync(join(logs, 'violations.log'), violations.map((line) => `${line}\n`).join(''));
  writeFileSync(join(logs, 'evidence.json'), JSON.stringify(evidence));

  print('');
  print(
    table([
      ['seed', seed],
      ['time', seconds(startedAt)],
      ['kills', killsOf(service)],
      ...service.targets.map(({ name, kills: own }) => [`  ${name}`, own] as const),
      ['faults', [...counts.values()].reduce((sum, count) => sum + count, 0)],
      ...[...counts].map(([name, count]) => [`  ${name}`, count] as const),
      ['subscriptions enabled again', operator.enabled],
      ['requested redeliveries and tests', operator.requested.length],
      ['rotations of a key', rotations.count],
      ['changes of payloads', operator.payloadChanges.length],
      ['kills of the systems that sync', partners.kills],
      ...totalsOf(evidence),
      ['violations', violations.length],
    ]),
  );
  return violations;
};

/**
 * Executes a run: writes and faults concurrently, then the end of all work, then the verdict.
 *
 * @param running receives every started part, even if this function throws
 * @returns a line for each violation
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
    if (isNeeded) print(`\nFaults, evidence and logs are in ${logs}`);
  }
};
