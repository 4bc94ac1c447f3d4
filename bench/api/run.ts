// Compares the api with its floors in one run. For each operation, each contestant has one turn in every round, in a
// new order. Server, floors, load and both engines share the machine, so only ratios are meaningful. Usage: pnpm
// --filter @chairside/bench api [--list-only] [--write "what else ran on the machine"]
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { newId, scopes } from '@chairside/domain';
import { startEngines } from '@chairside/local-services';
import { withDatabase } from '@chairside/mongodb';
import { openWholeStore } from '@chairside/mongodb/whole';
import { createKey, sealedDocument } from '@chairside/test-support';
import { MongoClient } from 'mongodb';
import { Pool } from 'undici';
import { type App, profiling, startApp, startServer } from '../apps.ts';
import { closedLoop } from '../closed-loop.ts';
import { patientFields } from '../patient.ts';
import { peakMemory } from '../processes.ts';
import { machine, optionOf, today } from '../report.ts';
import { pick, shuffled, spread } from '../statistics.ts';
import { type Calls, type Ground, openSameWork, plantBare, servers } from './floors.ts';

const ROUNDS = 9;
const TURN_MS = 2000;
const IN_FLIGHT = [20, 100];
const OPERATIONS = ['get', 'list', 'create'] as const;
const PATIENTS = 1000;
/** Several API keys, so that no key reaches its rate limit. */
const KEYS = 20;
const MANY = 1_000_000;
const MANY_BATCH = 10_000;

const isListOnly = process.argv.includes('--list-only');

/** The number of responses with 503. These calls do not count as done. */
let refused = 0;

/** The three operations over HTTP. A response other than 200 or 503 ends the run. */
const overHttp = (url: string, ground: Ground, authorizations: readonly string[]): Calls => {
  const pool = new Pool(url, { connections: Math.max(...IN_FLIGHT), pipelining: 1 });
  const body = JSON.stringify(patientFields(ground.createClinicId));
  const call = async (method: 'GET' | 'POST', path: string, sent?: string) => {
    const headers = {
      authorization: pick(authorizations),
      ...(sent && { 'content-type': 'application/json' }),
    };
    const response = await pool.request({ method, path, headers, ...(sent && { body: sent }) });
    const text = await response.body.text();
    if (response.statusCode === 503) refused++;
    else if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${text}`);
    return text;
  };
  return {
    get: (id) => call('GET', `/api/patients/${id}`),
    list: () => call('GET', `/api/patients?clinicId=${ground.clinicId}&limit=100`),
    create: () => call('POST', '/api/patients', body),
    close: () => pool.close(),
  };
};

const turn = async (work: () => Promise<unknown>, inFlight: number): Promise<number> => {
  const refusedBefore = refused;
  const { done, seconds } = await closedLoop(work, inFlight, TURN_MS);
  return (done - (refused - refusedBefore)) / seconds;
};

const engines = await startEngines({ ephemeral: true });
const name = `bench_${randomBytes(4).toString('hex')}`;
const mongodbUrl = withDatabase(engines.mongodb.url, name);
const encryptionKeys = `bench:${randomBytes(32).toString('base64')}`;
const store = openWholeStore({ url: mongodbUrl, encryptionKeys, appName: 'chairside-bench' });
await store.prepare();
const organizationId = newId();
const organization = store.organization(organizationId);
const now = new Date();
const clinic = { name: 'C', currency: 'EUR', timezone: 'UTC', lastEditTime: now.toISOString() };
const [clinicId, createClinicId, manyClinicId] = [newId(), newId(), newId()];
await organization.clinics.create({ _id: clinicId, ...clinic });
await organization.clinics.create({ _id: createClinicId, ...clinic });
await organization.clinics.create({ _id: manyClinicId, ...clinic });
const client = new MongoClient(mongodbUrl);
const patientIds: string[] = [];
for (let index = 0; index < PATIENTS; index++) {
  const _id = newId();
  await organization.patients.create({
    _id,
    ...patientFields(clinicId),
    createdTime: now.toISOString(),
    lastEditTime: now.toISOString(),
  });
  patientIds.push(_id);
}
await plantBare(client.db(), { organizationId, clinicId, patientIds });
const authorizations: string[] = [];
for (let index = 0; index < KEYS; index++) {
  const key = { name: 'bench', scopes: [...scopes], rateLimit: 100_000 };
  const { secret } = await createKey(organization, key, now);
  authorizations.push(`Basic ${Buffer.from(secret).toString('base64')}`);
}
const ground: Ground = {
  mongodbUrl,
  encryptionKeys,
  redisUrl: engines.redis.url,
  redisPrefix: `{${name}}`,
  organizationId,
  clinicId,
  createClinicId,
  patientIds,
};
const startApi = (flags: readonly string[], environment: Record<string, string> = {}) =>
  startApp(
    'api',
    {
      MONGODB_URL: ground.mongodbUrl,
      REDIS_URL: ground.redisUrl,
      REDIS_PREFIX: ground.redisPrefix,
      ENCRYPTION_KEYS: encryptionKeys,
      ...environment,
    },
    flags,
  );
const api = await startApi(profiling());
/** A collector that receives traces and discards them. */
const collector = createServer((request, response) => request.resume().on('end', () => response.end('{}')));
collector.listen(0, '127.0.0.1');
await once(collector, 'listening');
const traced = await startApi([], {
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
});
const startFloor = (name: string) =>
  startServer(
    ['--conditions=@chairside/source', 'bench/api/floor-process.ts', name, JSON.stringify(ground)],
    'PORT',
    {},
  );
const others = new Map<string, App>([['api with traces', traced]]);
for (const name of Object.keys(servers)) others.set(name, await startFloor(name));
const contestants: Record<string, Calls> = {
  api: overHttp(api.url, ground, authorizations),
  'same work': await openSameWork(ground),
};
for (const [name, { url }] of others) contestants[name] = overHttp(url, ground, authorizations);
const comparedWith = ['same work', 'same work over HTTP', 'bare', 'api with traces'];

const rows: string[] = [];
for (const inFlight of isListOnly ? [] : IN_FLIGHT) {
  for (const operation of OPERATIONS) {
    const rates = Object.fromEntries(['api', ...comparedWith].map((each) => [each, [] as number[]]));
    const ratios = Object.fromEntries(comparedWith.map((each) => [each, [] as number[]]));
    for (let round = -1; round < ROUNDS; round++) {
      const measured: Record<string, number> = {};
      for (const [contestant, calls] of shuffled(Object.entries(contestants))) {
        const work = operation === 'get' ? () => calls.get(pick(patientIds)) : () => calls[operation]();
        measured[contestant] = await turn(work, inFlight);
      }
      // The first round is a warm-up.
      if (round < 0) continue;
      for (const [contestant, rate] of Object.entries(measured)) rates[contestant]?.push(rate);
      for (const floor of Object.keys(ratios)) {
        ratios[floor]?.push((measured.api ?? 0) / (measured[floor] ?? 0));
      }
    }
    const cells = [
      ...['api', ...comparedWith].map((each) => spread(rates[each] ?? [])),
      ...comparedWith.map((each) => spread(ratios[each] ?? [], 2)),
    ];
    const note = refused > 0 ? `, ${refused} responses with 503` : '';
    refused = 0;
    const row = `| ${operation}, ${inFlight} in flight${note} | ${cells.join(' | ')} |`;
    console.log(row);
    rows.push(row);
  }
}
for (const calls of Object.values(contestants)) await calls.close();
for (const server of others.values()) await server.stop();
collector.close();
await api.stop();

// Measures a list of a million records, and the highest memory of the api.
const patients = client.db().collection<{ _id: string }>('patients');
const cipher = await store.ciphers.of(organizationId);
const storedPatient = () => {
  const fields = { ...patientFields(manyClinicId), lastEditTime: now, revision: 1 };
  return sealedDocument('patients', { _id: newId(), organizationId, ...fields }, cipher);
};
for (let from = 0; from < MANY; from += MANY_BATCH)
  await patients.insertMany(Array.from({ length: MANY_BATCH }, storedPatient), { ordered: false });
await client.close();
// A new process is measured, because the highest memory must not include earlier work.
const fresh = await startApi([]);
const peak = (): number => peakMemory(fresh.pid);
const before = peak();
const startedAt = performance.now();
const response = await fetch(`${fresh.url}/api/patients?clinicId=${manyClinicId}`, {
  headers: { authorization: authorizations[0] ?? '', 'accept-encoding': 'identity' },
});
let bytes = 0;
for await (const chunk of response.body ?? []) bytes += chunk.length;
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
const million = `A list of ${MANY.toLocaleString('en')} patients: ${(bytes / 2 ** 20).toFixed(0)} MiB in ${seconds} s; the api's highest resident memory was ${before.toFixed(0)} MiB before and ${peak().toFixed(0)} MiB after.`;
console.log(million);
await fresh.stop();
await store.close();
await engines.stop();

const remark = optionOf('--write');
if (remark !== undefined) {
  const where = `${machine()}, Node ${process.version}, ${engines.mongodb.source}, ${engines.redis.source}`;
  writeFileSync(
    fileURLToPath(new URL('results.md', import.meta.url)),
    `# The api, compared with its floors

\`pnpm --filter @chairside/bench api --write "…"\`, ${today()}, on ${where}.
What else ran: ${remark}. The table shows calls per second: the median of ${ROUNDS} interleaved rounds of
${TURN_MS / 1000} s, with the lowest and the highest. Ratios compare turns of the same round.

*Same work* is a loop without HTTP. It makes the same calls to MongoDB and Redis as the api, in the same groups: lookup,
audit entry, event, job, rate limit. It also encrypts and decrypts the same values. *Same work over HTTP* is that loop behind Node's own
HTTP server, without authentication and validation. *Bare* is only Fastify and the driver, without authentication, audit entries, events
and encryption: its patients are stored as text. *Api with traces* sends a trace of each request to a collector that discards it. All
processes, including the load generator, share the cores.

| | ${['api', ...comparedWith, ...comparedWith.map((each) => `api / ${each}`)].join(' | ')} |
|${' --- |'.repeat(2 + 2 * comparedWith.length)}
${rows.join('\n')}

${million}
`,
  );
}
