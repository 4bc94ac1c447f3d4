// Guarded bookings beside creations of the same appointments without `onlyIfFree`, over HTTP, in one run. In each round,
// every contestant has one turn, in a new order. The processes share the machine, so only the shares are meaningful.
// Usage: pnpm --filter @chairside/bench bookings [--write "what else ran on the machine"]
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { newId, scopes } from '@chairside/domain';
import { startEngines } from '@chairside/local-services';
import { withDatabase } from '@chairside/mongodb';
import { openWholeStore } from '@chairside/mongodb/whole';
import { createKey } from '@chairside/test-support';
import { Pool } from 'undici';
import { startApp } from '../apps.ts';
import { machine, optionOf, today } from '../report.ts';
import { quantile, shuffled, spread } from '../statistics.ts';

const ROUNDS = 5;
const TURN_MS = 3000;
const IN_FLIGHT = [1, 10, 50];
/** Each caller books random quarters of an hour of these days, so that nearly every time is free. */
const DAYS = 90;
const CHAIRS = 500;
const QUARTER_MS = 15 * 60_000;
const FIRST = Date.parse('2035-01-01T00:00:00Z');

const engines = await startEngines({ ephemeral: true });
const name = `bench_${randomBytes(4).toString('hex')}`;
const mongodbUrl = withDatabase(engines.mongodb.url, name);
const encryptionKeys = `bench:${randomBytes(32).toString('base64')}`;
const store = openWholeStore({ url: mongodbUrl, encryptionKeys, appName: 'chairside-bench' });
await store.prepare();
const organization = store.organization(newId());
const now = new Date();
const openClinic = async (): Promise<string> => {
  const _id = newId();
  const clinic = { name: 'C', currency: 'EUR', timezone: 'UTC', lastEditTime: now.toISOString() };
  await organization.clinics.create({ _id, ...clinic });
  const day = [{ opens: '00:00', closes: '24:00' }];
  await organization.openingHours.set(_id, {
    weekdays: {
      monday: day,
      tuesday: day,
      wednesday: day,
      thursday: day,
      friday: day,
      saturday: day,
      sunday: day,
    },
    ...{ exceptions: [], chairs: CHAIRS, slotMinutes: 15 },
  });
  return _id;
};
const key = { name: 'bench', scopes: [...scopes], rateLimit: 100_000 };
const { secret } = await createKey(organization, key, now);
const headers = {
  authorization: `Basic ${Buffer.from(secret).toString('base64')}`,
  'content-type': 'application/json',
};
const api = await startApp('api', {
  MONGODB_URL: mongodbUrl,
  REDIS_URL: engines.redis.url,
  REDIS_PREFIX: `{${name}}`,
  ENCRYPTION_KEYS: encryptionKeys,
});
const pool = new Pool(api.url, { connections: Math.max(...IN_FLIGHT), pipelining: 1 });

/** Creates appointments. Both contestants write to clinics of their own, which grow at the rate of the contestant. */
const contestant = (clinicId: string, query: string) => async (): Promise<void> => {
  const start = FIRST + Math.floor(Math.random() * DAYS * 96) * QUARTER_MS;
  const times = {
    startTime: new Date(start).toISOString(),
    endTime: new Date(start + QUARTER_MS).toISOString(),
  };
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path: `/api/appointments${query}`,
    headers,
    body: JSON.stringify({ clinicId, ...times }),
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${statusCode} ${text}`);
};
const contestants = {
  'without onlyIfFree': contestant(await openClinic(), ''),
  onlyIfFree: contestant(await openClinic(), '?onlyIfFree=true'),
};
type Name = keyof typeof contestants;

/** @returns the calls per second, and the times of the calls in milliseconds */
const turn = async (work: () => Promise<void>, inFlight: number) => {
  const startedAt = performance.now();
  const times: number[] = [];
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (performance.now() - startedAt < TURN_MS) {
        const calledAt = performance.now();
        await work();
        times.push(performance.now() - calledAt);
      }
    }),
  );
  return { rate: (times.length * 1000) / (performance.now() - startedAt), times };
};

const names = Object.keys(contestants) as Name[];
for (const each of names) await turn(contestants[each], 10);
const rows: string[] = [];
for (const inFlight of IN_FLIGHT) {
  const rates: Record<Name, number[]> = { 'without onlyIfFree': [], onlyIfFree: [] };
  const times: Record<Name, number[]> = { 'without onlyIfFree': [], onlyIfFree: [] };
  for (let round = 0; round < ROUNDS; round++)
    for (const each of shuffled(names)) {
      const done = await turn(contestants[each], inFlight);
      rates[each].push(done.rate);
      times[each].push(...done.times);
    }
  for (const each of names) {
    const [p50, p99] = [0.5, 0.99].map((part) => quantile(times[each], part).toFixed(1));
    const shares = rates[each].map(
      (rate, round) => rate / (rates['without onlyIfFree'][round] ?? Number.NaN),
    );
    rows.push(
      `| ${[`${each}, ${inFlight} in flight`, spread(rates[each]), p50, p99, spread(shares, 2)].join(' | ')} |`,
    );
  }
}

await pool.close();
await api.stop();
await store.close();
await engines.stop();
const note = optionOf('--write');
const report = `# Guarded bookings

\`pnpm --filter @chairside/bench bookings\`, ${today()}, on ${machine()}, Node ${process.version}, ${engines.mongodb.source}, ${engines.redis.source}.
What else ran: ${note ?? 'unknown'}. ${ROUNDS} interleaved rounds of ${TURN_MS / 1000} s.

Creations of appointments of 15 minutes over HTTP, with and without \`onlyIfFree=true\`, in one organization, at a clinic with ${CHAIRS}
chairs, at random times of ${DAYS} days. Nearly all times are free. Share: calls per second, compared with creations without \`onlyIfFree\` in the same
round. Bookings of one organization are decided one after the other, so more callers do not make more bookings.

| | calls per second | p50, ms | p99, ms | share |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
console.log(report);
if (note !== undefined) writeFileSync(fileURLToPath(new URL('bookings.md', import.meta.url)), report);
