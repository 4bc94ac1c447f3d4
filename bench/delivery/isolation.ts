// Measures whether one receiver delays the others. One run compares, in turns, a hundred subscriptions whose
// receivers all respond at once with the same subscriptions when one receiver responds just before its deadline. It
// also compares one subscription alone with one subscription next to the backlog of another. Usage: pnpm --filter
// @chairside/bench isolation [--write "what else ran on the machine"]
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deliveryId, newId } from '@chairside/domain';
import { startEngines } from '@chairside/local-services';
import { sealedEvent } from '@chairside/test-support';
import { now } from '../clock.ts';
import { peakMemory } from '../processes.ts';
import { machine, optionOf, today } from '../report.ts';
import { openService } from '../service.ts';
import { quantile } from '../statistics.ts';
import { startReceiver } from './receiver.ts';

const SUBSCRIPTIONS = 100;
const ROUNDS = 3;
const SECONDS = 10;
/** The number of events that measure the capacity. */
const CAPACITY_EVENTS = 2000;
const BACKLOG = 100_000;
const LARGE_BACKLOG = 1_000_000;
const PLANTED_AT_ONCE = 10_000;
/**
 * The number of clinics with slow receivers, the number of slow receivers in each, and the backlog of each slow
 * receiver.
 */
const SLOW_CLINICS = 5;
const SLOW_IN_CLINIC = 20;
const SLOW_BACKLOG = 1000;
/** How often the first delivery of another subscription is measured. */
const FIRSTS = 50;

const spread = (values: readonly number[], digits: number): string =>
  [0.5, 0, 1].map((part) => quantile(values, part).toFixed(digits)).join(' | ');

const engines = await startEngines({ ephemeral: true, onProgress: console.log });
const receiver = await startReceiver();
const service = await openService(engines.mongodb.url, engines.redis.url);
const { organization, store } = service;
const [fast, slow] = [`${receiver.origin}/times`, `${receiver.origin}/slow`];
const clinics: { clinicId: string; subscriptionIds: string[] }[] = [];
for (let index = 0; index < SUBSCRIPTIONS; index++) clinics.push(await service.createClinic([fast]));
const odd = clinics[0] as (typeof clinics)[number];
const dispatcher = await service.startDispatcher();

/**
 * Writes and announces events at this rate, or as fast as possible. Waits until the events of all clinics except the
 * first have arrived, and returns their delays in milliseconds.
 */
const load = async (events: number, rate = Number.POSITIVE_INFINITY): Promise<number[]> => {
  await receiver.times();
  const startedAt = now();
  const published = new Map<string, number>();
  const write = async (clinicId: string) => {
    for (const written of await service.write(clinicId, 1)) {
      if (clinicId !== odd.clinicId) published.set(written.ref.recordId, now());
      service.publish([written]);
    }
  };
  const writes: Promise<void>[] = [];
  for (let index = 0; index < events; index++) {
    const { clinicId } = clinics[index % clinics.length] as (typeof clinics)[number];
    if (rate < Number.POSITIVE_INFINITY) await sleep(Math.max(0, startedAt + (index * 1000) / rate - now()));
    else if (index % clinics.length === 0) await Promise.all(writes);
    writes.push(write(clinicId));
  }
  await Promise.all(writes);
  const arrivals = new Map<string, number>();
  while ([...published.keys()].some((id) => !arrivals.has(id))) {
    await sleep(100);
    for (const [id, at] of await receiver.times()) arrivals.set(id, at);
  }
  return [...published].map(([id, at]) => (arrivals.get(id) ?? Number.NaN) - at);
};

const redirect = async (url: string) => {
  await organization.subscriptions.update(odd.subscriptionIds[0] as string, { url }, new Date());
  await sleep(1000);
};

await load(CAPACITY_EVENTS);
const startedAt = now();
await load(CAPACITY_EVENTS);
const capacity = (CAPACITY_EVENTS * 1000) / (now() - startedAt);
const rate = capacity / 2;
console.log('capacity', Math.round(capacity));

const delays: { healthy: number[][]; slow: number[][] } = { healthy: [], slow: [] };
for (let round = 0; round < ROUNDS; round++) {
  for (const turn of round % 2 === 0 ? (['healthy', 'slow'] as const) : (['slow', 'healthy'] as const)) {
    await redirect(turn === 'slow' ? slow : fast);
    const measured = await load(Math.round(SECONDS * rate), rate);
    delays[turn].push(measured);
    console.log(round, turn, quantile(measured, 0.5), quantile(measured, 0.99));
    await redirect(fast);
    await service.untilDone();
  }
}
const change = delays.slow.map(
  (measured, round) => (quantile(measured, 0.99) / quantile(delays.healthy[round] ?? [], 0.99) - 1) * 100,
);

/** Measures repeatedly how many milliseconds the event of an idle subscription takes to arrive. */
const firsts = async (): Promise<number[]> => {
  const { clinicId } = clinics[1] as (typeof clinics)[number];
  const measured: number[] = [];
  for (let index = 0; index < FIRSTS; index++) {
    const [written] = await service.write(clinicId, 1);
    if (written === undefined) throw new Error('no event was written');
    await receiver.times();
    const at = now();
    service.publish([written]);
    let arrival: number | undefined;
    while (arrival === undefined) {
      await sleep(5);
      arrival = (await receiver.times()).get(written.ref.recordId);
    }
    measured.push(arrival - at);
  }
  return measured;
};

/** Stores queued deliveries of a subscription, and requests that a dispatcher sends them. */
const plant = async (
  count: number,
  { clinicId, subscriptionId }: { clinicId: string; subscriptionId: string },
) => {
  const now = new Date();
  const { deliveries, laneRequests, events } = store.everyOrganization;
  const eventId = newId(now);
  const common = { organizationId: service.organizationId, clinicId, subscriptionId, eventId };
  const author = { principal: { kind: 'system' as const, id: 'bench' }, requestId: 'bench' };
  const body = JSON.stringify({ id: eventId, event: 'patient.created', data: { _id: 'n'.repeat(800) } });
  const { organizationId } = common;
  const record = { kind: 'patient' as const, recordId: newId(now), clinicIds: [clinicId], time: now, body };
  const event = { _id: eventId, organizationId, event: 'patient.created' as const, ...record, ...author };
  await events.enter([sealedEvent(event, await store.ciphers.of(organizationId))]);
  for (let from = 0; from < count; from += PLANTED_AT_ONCE) {
    const group = Array.from({ length: Math.min(PLANTED_AT_ONCE, count - from) }, () =>
      deliveryId(eventId, newId()),
    );
    await deliveries.insert(
      group.map((_id) => ({ ...common, _id, event: 'patient.created', kind: 'event' as const })),
      now,
    );
  }
  await laneRequests.request(common, newId(now));
};
/**
 * Waits two seconds. In this time, the dispatcher finds the planted deliveries, and the number of attempts in flight
 * reaches its maximum.
 */
const untilFound = () => sleep(2000);
const oddOne = { clinicId: odd.clinicId, subscriptionId: odd.subscriptionIds[0] as string };
const memory = (): number => peakMemory(dispatcher.pid);

const first: Record<string, number[]> = {};
const measureFirsts = async (name: string) => {
  first[name] = await firsts();
  console.log(name, quantile(first[name], 0.5), quantile(first[name], 0.99));
};
await measureFirsts('alone');
const memoryBefore = memory();
await redirect(slow);
await plant(BACKLOG, oddOne);
await untilFound();
await measureFirsts(`next to a backlog of ${BACKLOG.toLocaleString('en')} for a slow receiver`);
await redirect(fast);
await measureFirsts(`next to a backlog of ${BACKLOG.toLocaleString('en')} that is sent as fast as possible`);
await redirect(slow);
await plant(LARGE_BACKLOG, oddOne);
await untilFound();
await measureFirsts(`next to a backlog of ${LARGE_BACKLOG.toLocaleString('en')} for a slow receiver`);
await redirect(fast);
await sleep(SECONDS * 1000);
const memoryAfter = memory();
for (let index = 0; index < SLOW_CLINICS; index++) {
  const { clinicId, subscriptionIds } = await service.createClinic(Array(SLOW_IN_CLINIC).fill(slow));
  for (const subscriptionId of subscriptionIds) await plant(SLOW_BACKLOG, { clinicId, subscriptionId });
}
// This wait is longer than a slow response, so that the dispatcher knows that the receivers are slow.
await sleep(SECONDS * 1000);
await measureFirsts(
  `next to a backlog of ${SLOW_BACKLOG.toLocaleString('en')} for each of ${SLOW_CLINICS * SLOW_IN_CLINIC} slow receivers`,
);

await dispatcher.stop();
receiver.stop();
await service.close();
await engines.stop();

const report = `| ${SUBSCRIPTIONS} subscriptions, ${Math.round(rate)} events per second, half of the measured capacity | median | lowest | highest |
|---|---|---|---|
| p99 of ${SUBSCRIPTIONS - 1} when all respond at once, ms | ${spread(
  delays.healthy.map((measured) => quantile(measured, 0.99)),
  1,
)} |
| p99 of the same when the other one responds after 4.8 s, ms | ${spread(
  delays.slow.map((measured) => quantile(measured, 0.99)),
  1,
)} |
| change within a round, % (goal: below 10) | ${spread(change, 0)} |

| the first delivery of a subscription, ${FIRSTS} times | p50, ms | p99, ms |
|---|---|---|
${Object.entries(first)
  .map(
    ([name, each]) => `| ${name} | ${quantile(each, 0.5).toFixed(1)} | ${quantile(each, 0.99).toFixed(1)} |`,
  )
  .join('\n')}

The dispatcher's highest resident memory was ${memoryBefore.toFixed(0)} MiB before any backlog, and
${memoryAfter.toFixed(0)} MiB after ${SECONDS} s of sending from a backlog of ${LARGE_BACKLOG.toLocaleString('en')}.
`;
console.log(report);
const remark = optionOf('--write');
if (remark !== undefined) {
  const head = `# One receiver next to others

- Command: \`pnpm --filter @chairside/bench isolation\`
- Date: ${today()}
- Machine: ${machine()}; everything on it: engines, writer, dispatcher, receiver; ${remark}
- Node ${process.versions.node}; ${engines.mongodb.source}, without fsync; ${engines.redis.source}
- ${ROUNDS} rounds of ${SECONDS} s for each variant. Delays are measured from the write to the arrival at the receiver.

`;
  writeFileSync(join(import.meta.dirname, 'isolation.md'), head + report);
}
