// Measures the deliveries per second of accepted writes, compared with two floors. In every round each contestant has
// one turn, in a new order. The result is the ratio to the floor of the same round. Usage: pnpm --filter
// @chairside/bench delivery [--write "what else ran on the machine"]
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEngines } from '@chairside/local-services';
import { now } from '../clock.ts';
import { machine, optionOf, today } from '../report.ts';
import { openService } from '../service.ts';
import { quantile, shuffled } from '../statistics.ts';
import { measureDelay, measureIdle } from './delay.ts';
import { deliverAll, openPoster, postAll } from './floors.ts';
import { startReceiver } from './receiver.ts';

const ROUNDS = 3;
/** The events of a turn, by the number of subscriptions that receive each event. */
const EVENTS = { 1: 2000, 10: 400 } as const;
const POSTS = 5000;

const engines = await startEngines({ ephemeral: true, onProgress: console.log });
const receiver = await startReceiver();
const service = await openService(engines.mongodb.url, engines.redis.url);
const url = `${receiver.origin}/count`;
const clinics = {
  1: (await service.createClinic([url])).clinicId,
  10: (await service.createClinic(Array<string>(10).fill(url))).clinicId,
};
const dispatcher = await service.startDispatcher();
const body = JSON.stringify({ id: 'i'.repeat(24), event: 'patient.created', data: 'n'.repeat(1000) });

const bare = async (atOnce: number): Promise<number> => {
  const { post, close } = openPoster(url, atOnce);
  const startedAt = now();
  await postAll(post, body, POSTS, atOnce);
  const rate = (POSTS * 1000) / (now() - startedAt);
  await close();
  return rate;
};

/** The contestant `same work`. The dispatcher is paused during its turn, because the sweep would publish its events. */
const sameWork = async (subscriptions: 1 | 10, groupsAtOnce: number): Promise<number> => {
  const written = await service.write(clinics[subscriptions], EVENTS[subscriptions]);
  const { post, close } = openPoster(url, 50);
  const startedAt = now();
  await deliverAll(service, post, written, { groupsAtOnce, postsAtOnce: 20 });
  const rate = (written.length * subscriptions * 1000) / (now() - startedAt);
  await close();
  return rate;
};

const chairside = async (subscriptions: 1 | 10): Promise<number> => {
  const written = await service.write(clinics[subscriptions], EVENTS[subscriptions]);
  dispatcher.process.kill('SIGCONT');
  await sleep(100);
  const arrived = receiver.expect(written.length * subscriptions);
  const startedAt = now();
  service.publish(written);
  await arrived;
  await service.untilDone();
  const rate = (written.length * subscriptions * 1000) / (now() - startedAt);
  dispatcher.process.kill('SIGSTOP');
  return rate;
};

/** The setting with the highest rate. */
const best = async (settings: readonly number[], measure: (setting: number) => Promise<number>) => {
  const rates: { setting: number; rate: number }[] = [];
  for (const setting of settings) {
    await measure(setting);
    rates.push({ setting, rate: await measure(setting) });
  }
  return rates.sort((left, right) => right.rate - left.rate)[0]?.setting ?? Number.NaN;
};

dispatcher.process.kill('SIGSTOP');
const atOnce = await best([10, 20, 50], bare);

const groupsAtOnce = await best([1, 2, 4], (setting) => sameWork(1, setting));
const contestants: Record<string, () => Promise<number>> = {
  bare: () => bare(atOnce),
  'same work, 1 subscription': () => sameWork(1, groupsAtOnce),
  'Chairside, 1 subscription': () => chairside(1),
  'same work, 10 subscriptions': () => sameWork(10, groupsAtOnce),
  'Chairside, 10 subscriptions': () => chairside(10),
};
const rates = new Map(Object.keys(contestants).map((name) => [name, [] as number[]]));
// The first round is a warm-up.
for (let round = 0; round <= ROUNDS; round++) {
  for (const [name, turn] of shuffled(Object.entries(contestants))) {
    const rate = await turn();
    console.log(round, name, Math.round(rate));

    if (round > 0) rates.get(name)?.push(rate);
  }
}

const ratio = (name: string, floor: string): string => {
  const floors = rates.get(floor) ?? [];
  const ratios = (rates.get(name) ?? []).map((rate, round) => rate / (floors[round] ?? Number.NaN));
  return [0.5, 0, 1].map((part) => quantile(ratios, part).toFixed(2)).join(' | ');
};
const rateRows = [...rates].map(
  ([name, own]) => `| ${name} | ${[0.5, 0, 1].map((part) => Math.round(quantile(own, part))).join(' | ')} |`,
);
const ratioRows = [
  ['Chairside, 1 subscription', 'same work, 1 subscription', '0.7'],
  ['Chairside, 10 subscriptions', 'same work, 10 subscriptions', '0.7'],
  ['Chairside, 1 subscription', 'bare', '0.08'],
  ['Chairside, 10 subscriptions', 'bare', '0.25'],
].map(([name = '', floor = '', target]) => `| ${name} | ${floor} | ${ratio(name, floor)} | ${target} |`);
dispatcher.process.kill('SIGCONT');
const delay = await measureDelay(service, receiver);
const idle = await measureIdle(dispatcher);
await dispatcher.stop();
receiver.stop();
await service.close();
await engines.stop();

const report = `## Deliveries per second

| | median | lowest | highest |
|---|---|---|---|
${rateRows.join('\n')}

| | to | ratio, median | lowest | highest | target |
|---|---|---|---|---|---|
${ratioRows.join('\n')}

## Delay and idling

| | measured | target |
|---|---|---|
| from the api's response to the arrival, ${delay.rate} events per second, p50 | ${delay.p50.toFixed(1)} ms | 8 ms |
| the same, p99 | ${delay.p99.toFixed(1)} ms | 30 ms |
| CPU of an idle dispatcher over ${idle.seconds} s | ${idle.percent.toFixed(1)} % of a core | near nothing |
`;
console.log(report);
const remark = optionOf('--write');
if (remark !== undefined) {
  const head = `# Deliveries, compared with the bare POST and with the same work

- Command: \`pnpm --filter @chairside/bench delivery\`
- Date: ${today()}
- Machine: ${machine()}; everything on it: engines, api, dispatcher, receiver; ${remark}
- Node ${process.versions.node}; ${engines.mongodb.source}, without fsync; ${engines.redis.source}
- ${ROUNDS} rounds after a warm-up round; *bare*: ${atOnce} POSTs at once; *same work*: ${groupsAtOnce} groups of 100 at once.
  A turn ends when every outcome is stored and every outbox is empty; the writes before it are not included.
  *Same work* calls the same repositories as the dispatcher, takes groups from a list in Redis, and decides nothing.

`;
  writeFileSync(join(import.meta.dirname, 'results.md'), head + report);
}
