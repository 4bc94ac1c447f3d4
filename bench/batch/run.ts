// Compares batches with single creations of the same patients, over HTTP, in one run. In each round, every contestant
// writes the same number of patients of an organization of its own, in a new order. The processes share the machine, so
// only the ratios are meaningful. Usage: pnpm --filter @chairside/bench batch [--write "what else ran on the machine"]
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { newId, scopes } from '@chairside/domain';
import { startEngines } from '@chairside/local-services';
import { withDatabase } from '@chairside/mongodb';
import { openWholeStore } from '@chairside/mongodb/whole';
import { createKey } from '@chairside/test-support';
import { Pool } from 'undici';
import { profiling, startApp } from '../apps.ts';
import { patientFields } from '../patient.ts';
import { cpuTimes } from '../processes.ts';
import { machine, optionOf, today } from '../report.ts';
import { shuffled, spread } from '../statistics.ts';

const ROUNDS = 5;
/** The patients of one turn. Fewer than the rows that an API key may send in a minute. */
const COUNT = 6000;
/** The contestants: how many writes a request has, and how many requests are in flight. */
const CONTESTANTS = {
  'single creations, 16 in flight': { rows: 1, inFlight: 16 },
  'batches of 500, 1 in flight': { rows: 500, inFlight: 1 },
  'batches of 500, 2 in flight': { rows: 500, inFlight: 2 },
  'batches of 100, 4 in flight': { rows: 100, inFlight: 4 },
} as const;
type Contestant = keyof typeof CONTESTANTS;
const SINGLE = 'single creations, 16 in flight';

const engines = await startEngines({ ephemeral: true });
const name = `bench_${randomBytes(4).toString('hex')}`;
const mongodbUrl = withDatabase(engines.mongodb.url, name);
const encryptionKeys = `bench:${randomBytes(32).toString('base64')}`;
const store = openWholeStore({ url: mongodbUrl, encryptionKeys, appName: 'chairside-bench' });
await store.prepare();
const api = await startApp(
  'api',
  {
    MONGODB_URL: mongodbUrl,
    REDIS_URL: engines.redis.url,
    REDIS_PREFIX: `{${name}}`,
    ENCRYPTION_KEYS: encryptionKeys,
  },
  profiling(),
);
const pool = new Pool(api.url, { connections: 16, pipelining: 1 });

/** An organization with a clinic and a key, which nobody has used. */
const openPractice = async () => {
  const now = new Date();
  const organization = store.organization(newId());
  const clinicId = newId();
  const clinic = { name: 'C', currency: 'EUR', timezone: 'UTC', lastEditTime: now.toISOString() };
  await organization.clinics.create({ _id: clinicId, ...clinic });
  const key = { name: 'bench', scopes: [...scopes], rateLimit: 100_000 };
  const { secret } = await createKey(organization, key, now);
  return { clinicId, authorization: `Basic ${Buffer.from(secret).toString('base64')}` };
};

/** Writes the patients. @returns patients in a second, and milliseconds of the api's CPU for a patient */
const turn = async (contestant: Contestant): Promise<{ rate: number; cpu: number }> => {
  const { rows, inFlight } = CONTESTANTS[contestant];
  const { clinicId, authorization } = await openPractice();
  const headers = { authorization, 'content-type': 'application/json' };
  let next = 0;
  const send = async (): Promise<void> => {
    const first = next;
    next += rows;
    const bodies = Array.from({ length: rows }, (_, index) => ({
      ...patientFields(clinicId),
      externalId: `bench:${first + index}`,
    }));
    const writes = bodies.map((body) => ({ method: 'create', kind: 'patient', body }));
    const [path, body] = rows === 1 ? ['/api/patients', bodies[0]] : ['/api/batch', { writes }];
    const response = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
    const text = await response.body.text();
    if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${text}`);
    if (rows > 1 && text.includes('"error"')) throw new Error(text.slice(0, 1000));
  };
  const pids = [api.pid];
  const [before = 0] = cpuTimes(pids);
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (next < COUNT) await send();
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const [after = 0] = cpuTimes(pids);
  return { rate: COUNT / seconds, cpu: (after - before) / COUNT };
};

const names = Object.keys(CONTESTANTS) as Contestant[];
const figures = Object.fromEntries(
  names.map((each) => [each, { rate: [], cpu: [], rates: [], cpus: [] }]),
) as unknown as Record<Contestant, Record<'rate' | 'cpu' | 'rates' | 'cpus', number[]>>;
for (let round = -1; round < ROUNDS; round++) {
  const measured: Partial<Record<Contestant, { rate: number; cpu: number }>> = {};
  for (const contestant of shuffled(names)) measured[contestant] = await turn(contestant);
  const single = measured[SINGLE];
  // The first round is a warm-up.
  if (round < 0 || single === undefined) continue;
  for (const each of names) {
    const { rate = Number.NaN, cpu = Number.NaN } = measured[each] ?? {};
    figures[each].rate.push(rate);
    figures[each].cpu.push(cpu);
    figures[each].rates.push(rate / single.rate);
    figures[each].cpus.push(cpu / single.cpu);
  }
}
await pool.close();
await api.stop();
await store.close();
await engines.stop();

const rows = names.map((each) => {
  const { rate, cpu, rates, cpus } = figures[each];
  return `| ${each} | ${spread(rate)} | ${spread(cpu, 2)} | ${spread(rates, 2)} | ${spread(cpus, 2)} |`;
});
const table = `| | patients/s | CPU of the api, ms a patient | rate to single | CPU to single |
| --- | --- | --- | --- | --- |
${rows.join('\n')}`;
console.log(table);
const circumstances = optionOf('--write');
if (circumstances !== undefined) {
  const text = `# Batches beside single creations

\`pnpm --filter @chairside/bench batch\`, ${today()}, ${machine()}, ${circumstances}. ${ROUNDS} rounds of ${COUNT} patients with external ids, and no
dispatcher. Client, api and both engines share the machine. Median, lowest and highest.

${table}
`;
  writeFileSync(fileURLToPath(new URL('results.md', import.meta.url)), text);
}
