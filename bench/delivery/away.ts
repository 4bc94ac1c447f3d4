// Measures what a receiver loses that is away for a while. Every receiver has a subscription and a load of its own, and
// refuses connections while it is away. Compares one dispatcher, four dispatchers, and one dispatcher without pauses.
// Usage: pnpm --filter @chairside/bench away [--short] [--write "what else ran on the machine"]
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEngines } from '@chairside/local-services';
import { startApp } from '../apps.ts';
import { machine, optionOf, today } from '../report.ts';
import { openService, type Service } from '../service.ts';

const SHORT_AWAY = [1, 10, 30, 60];
const LONG_AWAY = 30 * 60;
/** Events per second. */
const RATES = [1, 5, 50];
/** Seconds for which a receiver works before it goes away, and at least after it is back. */
const [BEFORE, AFTER] = [5, 10];
/** Events per second for a receiver that never goes away. */
const NEIGHBOUR_RATE = 5;
/** How often the backlog is looked at, in milliseconds. */
const LOOK_MS = 100;

const VARIANTS = [
  { name: '1 dispatcher', dispatchers: 1, environment: {} },
  { name: '4 dispatchers', dispatchers: 4, environment: {} },
  { name: '1 without pauses', dispatchers: 1, environment: { FAILING_PAUSE_MS: '0' } },
] as const;
type Variant = (typeof VARIANTS)[number];

type Result = { away: number; rate: number; variant: string; cell: string };

const listen = async (server: Server, port: number): Promise<number> => {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};
const startReceiver = async () => {
  const create = () =>
    createServer((request, response) => {
      request.resume().on('end', () => response.end());
    });
  let server = create();
  const port = await listen(server, 0);
  const leave = () => {
    server.close();
    server.closeAllConnections();
  };
  return {
    url: `http://127.0.0.1:${port}/`,
    leave,
    async comeBack() {
      server = create();
      await listen(server, port);
    },
  };
};

/** Writes events for a clinic at this rate until the signal. */
const load = async (service: Service, clinicId: string, rate: number, signal: AbortSignal): Promise<void> => {
  const startedAt = performance.now();
  const writes: Promise<void>[] = [];
  for (let index = 0; !signal.aborted; index++) {
    await sleep(Math.max(0, startedAt + (index * 1000) / rate - performance.now()));
    writes.push(service.write(clinicId, 1).then(service.publish));
  }
  await Promise.all(writes);
};

/**
 * Starts a receiver that never goes away, with events of its own. Without it, the absence of all other receivers would
 * look like an outage of the dispatchers' network.
 */
const startNeighbour = async (service: Service) => {
  const receiver = await startReceiver();
  const { clinicId } = await service.createClinic([receiver.url]);
  const ended = new AbortController();
  const loading = load(service, clinicId, NEIGHBOUR_RATE, ended.signal);
  return {
    async stop() {
      ended.abort();
      await loading;
      await service.untilDone();
      receiver.leave();
    },
  };
};

/** Lets one receiver go away for some seconds. Returns what became of its events. */
const measure = async (service: Service, variant: Variant, away: number, rate: number): Promise<Result> => {
  const receiver = await startReceiver();
  const { clinicId, subscriptionIds } = await service.createClinic([receiver.url]);
  const subscriptionId = subscriptionIds[0] as string;
  const { subscriptions } = service.organization;
  const deliveries = service.database.collection('deliveries');
  const count = (status: object | string) => deliveries.countDocuments({ subscriptionId, status });
  const ended = new AbortController();
  const loading = load(service, clinicId, rate, ended.signal);
  await sleep(BEFORE * 1000);
  receiver.leave();
  const leftAt = Date.now();
  await sleep(away * 1000);
  await receiver.comeBack();
  const backAt = performance.now();
  // Caught up: an event that was written after the return has arrived, and nothing waits.
  let caughtUpMs: number | undefined;
  while (performance.now() - backAt < AFTER * 1000 || caughtUpMs === undefined) {
    await sleep(LOOK_MS);
    const { active = false, consecutiveFailures = 0 } = (await subscriptions.find(subscriptionId)) ?? {};
    if (!active) break;
    const old = { createdTime: { $lt: new Date(Date.now() - 1000) } };
    const waiting = await deliveries.findOne({ subscriptionId, status: 'queued', ...old });
    if (consecutiveFailures === 0 && waiting === null) caughtUpMs ??= performance.now() - backAt;
  }
  ended.abort();
  await loading;
  const subscription = await subscriptions.find(subscriptionId);
  const [failed, skipped] = [await count('failed'), await count('skipped')];
  const attempts = await count({ $in: ['failed', 'succeeded'] });
  const end = subscription?.active
    ? `caught up ${((caughtUpMs ?? Number.NaN) / 1000).toFixed(1)} s after its return`
    : `disabled after ${((Date.parse(subscription?.disabledTime ?? '') - leftAt) / 1000).toFixed(1)} s`;
  receiver.leave();
  const cell = `${attempts} | ${failed} | ${skipped} | ${end}`;
  console.log(variant.name, away, rate, cell);
  return { away, rate, variant: variant.name, cell };
};

const engines = await startEngines({ ephemeral: true, onProgress: console.log });

/** Runs a variant with these absences, all at the same time. */
const run = async (variant: Variant, aways: readonly number[]): Promise<Result[]> => {
  const service = await openService(engines.mongodb.url, engines.redis.url);
  const dispatchers = await Promise.all(
    Array.from({ length: variant.dispatchers }, () =>
      startApp('webhook-dispatcher', { ...service.environment, ...variant.environment }),
    ),
  );
  // Until each dispatcher has counted the others.
  await sleep(variant.dispatchers > 1 ? 35_000 : 0);
  const neighbour = await startNeighbour(service);
  const results = await Promise.all(
    aways.flatMap((away) => RATES.map((rate) => measure(service, variant, away, rate))),
  );
  await neighbour.stop();
  await Promise.all(dispatchers.map(({ stop }) => stop()));
  await service.close();
  return results;
};

const results: Result[] = [];
for (const variant of VARIANTS) results.push(...(await run(variant, SHORT_AWAY)));
const isShort = process.argv.includes('--short');
if (!isShort)
  results.push(...(await Promise.all(VARIANTS.map((variant) => run(variant, [LONG_AWAY])))).flat());
await engines.stop();

const nameOf = (away: number): string => (away < 120 ? `${away} s` : `${away / 60} min`);
const rows = [...(isShort ? SHORT_AWAY : [...SHORT_AWAY, LONG_AWAY])].flatMap((away) =>
  RATES.flatMap((rate) =>
    VARIANTS.map(({ name }) => {
      const cell = results.find(
        (each) => each.away === away && each.rate === rate && each.variant === name,
      )?.cell;
      return `| ${nameOf(away)} | ${rate} | ${name} | ${cell} |`;
    }),
  ),
);
const report = `| Away for | Events a second | Dispatchers | Attempts | Failed | Skipped | End |
|---|---|---|---|---|---|---|
${rows.join('\n')}
`;
console.log(report);
const remark = optionOf('--write');
if (remark !== undefined) {
  const head = `# A receiver that is away

- Command: \`pnpm --filter @chairside/bench away\`
- Date: ${today()}
- Machine: ${machine()}; everything on it: engines, writers, dispatchers, receivers; ${remark}
- Node ${process.versions.node}; ${engines.mongodb.source}, without fsync; ${engines.redis.source}
- Each receiver works for ${BEFORE} s, refuses connections while it is away, and works again. The pauses begin with 1 s and end at 60 s; the
  last variant has none. Absences of up to a minute run at the same time, those of half an hour in all variants at once. Another
  receiver works all the time.

`;
  writeFileSync(join(import.meta.dirname, 'away.md'), head + report);
}
