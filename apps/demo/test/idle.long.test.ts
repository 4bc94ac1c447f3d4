import { readFileSync } from 'node:fs';
import { startDatabaseProxy, startWholeService, testEngines } from '@chairside/test-support';
import { expect, onTestFinished, test } from 'vitest';

/**
 * What the api and the dispatcher send to the database while nothing happens: commands for each renewal of the sweep's
 * lease, about a second apart. A further one is a decision, because a quiet service runs day and night.
 */
const BUDGET: Readonly<Record<string, number>> = {
  'update leases': 1,
  // The sweep. It looks for drafts, too, in appointments.
  'find appointments': 2,
  'find patients': 1,
  'find invoices': 1,
  'find payments': 1,
  'find lanes': 1,
  'find laneRequests': 1,
  'find redeliveries': 1,
  'find events': 1,
  'find deliveries': 1,
  'update deliveries': 1,
  'find programTokens': 1,
  'find sequence': 0.5,
};
/** The same for each other command. They come every five seconds or more seldom. */
const RARE = 0.3;
/** On a slow machine, commands of several timers fall between two renewals. */
const SLACK = 2;
const RENEWALS = 10;
/**
 * How often a process may wake up in a second: 20 times for the delay of its event loop, and for its own timers and for
 * responses. A timer that runs ten times a second is a decision, also that of a library.
 */
const WAKE_UPS = 45;

/** How often the main thread of a process has waited since its start. */
const wakeUpsOf = (pid: number): number =>
  Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

test('while nothing happens, the processes send what their budget allows', async () => {
  const { mongodbUrl, redisUrl } = testEngines();
  const proxy = await startDatabaseProxy(mongodbUrl);
  const service = await startWholeService(redisUrl, { mongodbUrl: proxy.url });
  onTestFinished(async () => {
    await service.close();
    await proxy.close();
  });
  await service.call('POST', '/api/patients', { clinicId: service.practice.clinicIds[0], name: 'Ada' });
  const events = service.database.collection('events');
  await expect.poll(() => events.countDocuments({ insertedAt: { $exists: true } })).toBe(1);
  await expect
    .poll(() => service.database.collection('patients').countDocuments({ 'outbox.0': { $exists: true } }))
    .toBe(0);

  const counts = new Map<string, number>();
  const end = proxy.inject({
    matches(name, command) {
      const kind = `${name} ${command[name]}`;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      return false;
    },
    fault: { kind: 'error', code: 0 },
  });
  const pids = [service.api.pid, service.dispatcher.pid];
  const [from, before] = [performance.now(), pids.map(wakeUpsOf)];
  await expect.poll(() => counts.get('update leases') ?? 0).toBeGreaterThanOrEqual(RENEWALS);
  const seconds = (performance.now() - from) / 1000;
  const wakeUps = pids.map((pid, index) => (wakeUpsOf(pid) - (before[index] ?? 0)) / seconds);
  end();
  const beyond = [...counts].filter(([kind, count]) => count > SLACK * (BUDGET[kind] ?? RARE) * RENEWALS);
  expect(beyond).toEqual([]);
  for (const each of wakeUps) expect(each).toBeLessThan(WAKE_UPS);
});
