// Measures what the dashboard adds to a streamed list: the CPU time of forwarding, compared with that of the api, and
// the memory of the dashboard while a reader pauses. Usage: pnpm --filter @chairside/bench dashboard [--write "what
// else ran on the machine"]
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@chairside/domain';
import { startEngines } from '@chairside/local-services';
import { freePort } from '@chairside/processes';
import { sealedDocument } from '@chairside/test-support';
import { type App, startApp } from '../apps.ts';
import { patientFields } from '../patient.ts';
import { cpuTimes, peakMemory, resetPeakMemory } from '../processes.ts';
import { machine, optionOf, today } from '../report.ts';
import { openService, type Service } from '../service.ts';
import { quantile, shuffled, spread } from '../statistics.ts';

/** The patients of a list, of about 1 KiB each. */
const PATIENTS = 20_000;
const ROUNDS = 9;
/** How long a reader pauses. */
const PAUSE_MS = 10_000;
const PAUSES = 3;
const MIB = 2 ** 20;

const insertPatients = async (
  { store, database, organizationId }: Service,
  clinicId: string,
): Promise<void> => {
  const cipher = await store.ciphers.of(organizationId);
  const fields = { ...patientFields(clinicId), name: 'n'.repeat(800), lastEditTime: new Date(), revision: 1 };
  const patients = Array.from({ length: PATIENTS }, () =>
    sealedDocument('patients', { _id: newId(), organizationId, ...fields }, cipher),
  );
  await database.collection<{ _id: string }>('patients').insertMany(patients, { ordered: false });
};

/** A way to read the list: its address and the headers of the caller. */
type Way = { url: string; headers: Record<string, string> };

const request = async ({ url, headers }: Way): Promise<IncomingMessage> => {
  const [response] = await once(get(`${url}/api/patients`, { headers }), 'response');
  if (response.statusCode !== 200) throw new Error(`the list responded with ${response.statusCode}`);
  return response;
};

/** Reads the whole list. Returns its size in MiB. */
const readList = async (way: Way): Promise<number> => {
  let bytes = 0;
  for await (const chunk of await request(way)) bytes += chunk.length;
  return bytes / MIB;
};

type Turn = { api: number; dashboard: number; seconds: number };

/** Reads the list once. Returns the CPU time of each process in milliseconds for each MiB. */
const measureTurn = async (way: Way, api: App, dashboard: App): Promise<Turn> => {
  const pids = [api.pid, dashboard.pid];
  const before = cpuTimes(pids);
  const startedAt = performance.now();
  const size = await readList(way);
  const seconds = (performance.now() - startedAt) / 1000;
  const [ofApi = 0, ofDashboard = 0] = cpuTimes(pids).map((cpu, index) => cpu - (before[index] ?? 0));
  return { api: ofApi / size, dashboard: ofDashboard / size, seconds };
};

const compareCpu = async (ways: Record<string, Way>, api: App, dashboard: App): Promise<string> => {
  const turns: Record<string, Turn[]> = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, way] of shuffled(Object.entries(ways))) {
      const turn = await measureTurn(way, api, dashboard);
      // The first round is a warm-up.
      if (round >= 0) turns[name]?.push(turn);
    }
  }
  const rows = Object.entries(turns).map(([name, all]) => {
    const shares = all.map(({ api: one, dashboard: other }) => other / one);
    const of = (key: keyof Turn) =>
      spread(
        all.map((turn) => turn[key]),
        2,
      );
    return `| ${name} | ${of('api')} | ${of('dashboard')} | ${spread(shares, 2)} | ${of('seconds')} |`;
  });
  return [
    '| | api, ms for each MiB | dashboard, ms for each MiB | dashboard / api (goal: 0.25) | seconds |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
};

/**
 * Returns by how much the memory of the dashboard grows while a reader pauses after the beginning of a list, in MiB.
 */
const measurePause = async (way: Way, dashboard: App): Promise<number> => {
  resetPeakMemory(dashboard.pid);
  const before = peakMemory(dashboard.pid);
  const response = await request(way);
  await once(response, 'data');
  response.pause();
  await sleep(PAUSE_MS);
  const grown = peakMemory(dashboard.pid) - before;
  response.destroy();
  return grown;
};

const engines = await startEngines({ ephemeral: true });
const service = await openService(engines.mongodb.url, engines.redis.url);
const { clinicId } = await service.createClinic([]);
await insertPatients(service, clinicId);
const operator = { email: 'bench@example.com', password: randomBytes(12).toString('base64url') };
await service.organization.operators.create({ ...operator, role: 'administrator' }, new Date());
const secret = randomBytes(32).toString('base64url');
const api = await startApp('api', { ...service.environment, PROXY_SECRET: secret });
const port = String(await freePort());
const publicUrl = `http://127.0.0.1:${port}`;
const dashboard = await startApp('dashboard', {
  PUBLIC_URL: publicUrl,
  API_URL: api.url,
  PROXY_SECRET: secret,
});
const signedIn = await fetch(`${api.url}/api/sessions`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(operator),
});
const { token } = (await signedIn.json()) as { token: string };
const host = new URL(publicUrl).host;
const direct: Way = { url: api.url, headers: { authorization: `Token ${token}` } };
const forwarded: Way = { url: dashboard.url, headers: { host, cookie: `chairside=${token}` } };

const cpu = await compareCpu({ direct, forwarded }, api, dashboard);
console.log(cpu);
const grown: number[] = [];
for (let turn = 0; turn < PAUSES; turn++) grown.push(await measurePause(forwarded, dashboard));
const memory = `A reader that takes the beginning of the list and then nothing for ${PAUSE_MS / 1000} s makes the resident memory of the dashboard grow by
${spread(grown, 1)} MiB at most (${PAUSES} readers, one after the other; goal: 10 MB). Highest: ${quantile(grown, 1).toFixed(1)} MiB.`;
console.log(memory);
const load = loadavg()[0]?.toFixed(1);
await dashboard.stop();
await api.stop();
await service.close();
await engines.stop();

const remark = optionOf('--write');
if (remark !== undefined) {
  const text = `# The dashboard

- Command: \`pnpm --filter @chairside/bench dashboard\`
- Date: ${today()}
- Machine: ${machine()}; everything on it: engines, api, dashboard, reader; load ${load}; ${remark}
- Node ${process.versions.node}; ${engines.mongodb.source}, without fsync; ${engines.redis.source}
- ${PATIENTS.toLocaleString('en')} patients of about 1 KiB in one streamed list, without compression; ${ROUNDS} rounds, in each both ways in a new order.

## CPU of the forwarding

${cpu}

## A reader that pauses

${memory}
`;
  writeFileSync(join(import.meta.dirname, 'results.md'), text);
}
