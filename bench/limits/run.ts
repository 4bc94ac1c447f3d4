// Limits under attack: the api and the dispatcher, each with a heap of 384 MiB, are attacked in one way after the other
// and in all ways together. The run fails if a process dies, if the event of a write with status 200 arrives twice, or
// if it does not arrive and its delivery has no outcome. Memory and times are printed but not checked. Usage: pnpm
// --filter
// @chairside/bench limits [--only "part of a name"] [--write "what else ran on the machine"]
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEngines } from '@chairside/local-services';
import { SERVICE_FLAGS } from '@chairside/processes';
import { type App, startApp } from '../apps.ts';
import { openLedger } from '../ledger.ts';
import { peakMemory, resetPeakMemory } from '../processes.ts';
import { startReceiver } from '../receiver.ts';
import { machine, optionOf, today } from '../report.ts';
import { openService } from '../service.ts';
import { quantile } from '../statistics.ts';
import { type Attack, type Attacker, attacks, createLarge } from './attacks.ts';
import { openTenant } from './tenant.ts';

/** The number of large appointments that the attacker's list contains from the start: 48 MB in all. */
const LISTED = 300;

const rounded = (value: number): string => (Number.isNaN(value) ? '–' : value.toFixed(0));
const listOf = (counts: ReadonlyMap<string, number>): string =>
  counts.size === 0 ? '–' : [...counts].map(([response, times]) => `${response}: ${times}`).join(', ');

const engines = await startEngines({ ephemeral: true, onProgress: console.log });
const service = await openService(engines.mongodb.url, engines.redis.url);
const [receiver, tenantReceiver] = [await startReceiver(), await startReceiver()];
const tenant = await openTenant(service, tenantReceiver);
const { clinicId, subscriptionIds } = await service.createClinic([receiver.url]);

type Name = 'api' | 'webhook-dispatcher';
const apps = new Map<Name, App>();
const start = async (name: Name): Promise<void> =>
  void apps.set(name, await startApp(name, service.environment));
const appOf = (name: Name): App => apps.get(name) as App;
const hasDied = (name: Name): boolean => {
  const { exitCode, signalCode } = appOf(name).process;
  return exitCode !== null || signalCode !== null;
};

const names: readonly Name[] = ['api', 'webhook-dispatcher'];
await Promise.all(names.map(start));
const attacker: Attacker = {
  service,
  clinicId,
  ledger: openLedger(receiver, service.database),
  api: () => appOf('api').url,
  pauseDispatcher() {
    const { process: dispatcher } = appOf('webhook-dispatcher');
    dispatcher.kill('SIGSTOP');
    return () => void dispatcher.kill('SIGCONT');
  },
};
await createLarge(attacker, LISTED);
await attacker.ledger.settle();

/** Watches the memory of a process. Returns a function that ends the watch, and returns the peak in MiB or `died`. */
const watch = (name: Name) => {
  let peak = 0;
  resetPeakMemory(appOf(name).pid);
  const timer = setInterval(() => {
    if (!hasDied(name)) peak = Math.max(peak, peakMemory(appOf(name).pid));
  }, 200);
  return () => {
    clearInterval(timer);
    return hasDied(name) ? 'died' : Math.max(peak, peakMemory(appOf(name).pid)).toFixed(0);
  };
};

let failures = 0;
const rowOf = async (attack: Attack): Promise<string> => {
  const memory = names.map(watch);
  const leaving = new AbortController();
  const working = tenant.work(appOf('api').url, leaving.signal);
  const responses = await attack.run(attacker);
  leaving.abort();
  const { responseTimes: times, refusals } = await working;
  const [own, others] = [await attacker.ledger.settle(), await tenant.ledger.settle()];
  const peaks = memory.map((end) => end());
  const [lost, doubled] = [own.lost + others.lost, own.doubled + others.doubled];
  failures += lost + doubled + peaks.filter((peak) => peak === 'died').length;
  for (const name of names) if (hasDied(name)) await start(name);
  // Subscriptions that failed deliveries have disabled are enabled again before the next attack.
  for (const id of subscriptionIds)
    await service.organization.subscriptions.update(id, { active: true }, new Date());
  const ended = new Map([...own.ended, ...others.ended]);
  const row = `| ${attack.name} | ${peaks.join(' | ')} | ${listOf(responses)} | ${rounded(quantile(times, 0.5))} / ${rounded(quantile(times, 0.99))} | ${rounded(quantile(others.delays, 0.5))} / ${rounded(quantile(others.delays, 0.99))} | ${listOf(refusals)} | ${lost} / ${doubled} | ${listOf(ended)} |`;
  console.log(row);
  return row;
};

const nothing: Attack = {
  name: 'none, for comparison',
  run: async () => {
    await new Promise((resolve) => setTimeout(resolve, 5000));
    return new Map();
  },
};
const only = optionOf('--only');
const chosen = [nothing, ...attacks].filter(({ name }) => only === undefined || name.includes(only));
const rows: string[] = [];
for (const attack of chosen) rows.push(await rowOf(attack));

const report = `| Attack | api, MiB | dispatcher, MiB | its responses | another tenant: responses, p50 / p99 ms | its events, p50 / p99 ms | its refusals | lost / doubled | ended otherwise |
|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}
`;
console.log(`\n${report}`);
const remark = optionOf('--write');
if (remark !== undefined) {
  const head = `# Limits under attack

- Command: \`pnpm --filter @chairside/bench limits\`
- Date: ${today()}
- Machine: ${machine()}; everything on it: engines, api, dispatcher, receivers, attackers; ${remark}
- Node ${process.versions.node} with \`${SERVICE_FLAGS.join(' ')}\`; ${engines.mongodb.source}, without fsync; ${engines.redis.source}
- Memory is the highest resident memory (VmHWM) during the attack and until its events have arrived. During
  each attack, another tenant creates ten patients per second. *lost*: writes with a response of 200 and without a final
  delivery. *doubled*: events that arrived twice. *ended otherwise*: deliveries that did not arrive and have an outcome with the
  reason. The table shows one run, so it has no spread.

`;
  writeFileSync(join(import.meta.dirname, 'results.md'), head + report);
}

await Promise.all(names.map((name) => appOf(name).stop()));
for (const each of [receiver, tenantReceiver]) each.stop();
await service.close();
await engines.stop();
process.exit(failures === 0 ? 0 : 1);
