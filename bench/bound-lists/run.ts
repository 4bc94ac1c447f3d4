// Compares the lists of a key of some clinics with those of a key of all clinics and `clinicId`, over HTTP, in one run. In each
// round, every contestant reads the same number of pages, in a new order. The processes share the machine, so only the ratios
// are meaningful. Usage: pnpm --filter @chairside/bench bound-lists [--rows 1000000] [--write "what else ran on the machine"]
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { newId, scopes } from '@chairside/domain';
import { startEngines } from '@chairside/local-services';
import { withDatabase } from '@chairside/mongodb';
import { openWholeStore } from '@chairside/mongodb/whole';
import { createKey, sealedDocument } from '@chairside/test-support';
import { MongoClient } from 'mongodb';
import { Pool } from 'undici';
import { profiling, startApp } from '../apps.ts';
import { cpuTimes } from '../processes.ts';
import { machine, optionOf, today } from '../report.ts';
import { shuffled, spread } from '../statistics.ts';

const ROWS = Number(optionOf('--rows') ?? 1_000_000);
const CLINICS = 12;
const ROUNDS = 7;
/** The pages of one turn. */
const PAGES = 20;
const GROUP = 2000;
const AT_ONCE = 4;

const engines = await startEngines({ ephemeral: true });
const name = `bench_${randomBytes(4).toString('hex')}`;
const url = withDatabase(engines.mongodb.url, name);
const encryptionKeys = `bench:${randomBytes(32).toString('base64')}`;
const store = openWholeStore({ url, encryptionKeys, appName: 'chairside-bench' });
await store.prepare();
const client = new MongoClient(url);
const database = client.db();

const organizationId = newId();
const organization = store.organization(organizationId);
const now = new Date();
const clinicIds = Array.from({ length: CLINICS }, () => newId());
for (const _id of clinicIds) {
  const clinic = { name: 'C', currency: 'EUR', timezone: 'UTC', lastEditTime: now.toISOString() };
  await organization.clinics.create({ _id, ...clinic });
}
const keyOf = async (clinics?: string[]): Promise<string> => {
  const key = {
    name: 'bench',
    scopes: [...scopes],
    rateLimit: 100_000,
    ...(clinics && { clinicIds: clinics }),
  };
  const { secret } = await createKey(organization, key, now);
  return `Basic ${Buffer.from(secret).toString('base64')}`;
};

/** Stores patients, a twelfth of them in each clinic, mixed. */
const plant = async (): Promise<void> => {
  const cipher = await store.ciphers.of(organizationId);
  const patients = database.collection<{ _id: string }>('patients');
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < ROWS) {
      const begin = next;
      next += GROUP;
      await patients.insertMany(
        Array.from({ length: Math.min(GROUP, ROWS - begin) }, (_, at) => {
          const index = begin + at;
          const time = new Date(now.getTime() - index * 1000);
          return sealedDocument(
            'patients',
            {
              _id: `row-${String(index).padStart(8, '0')}`,
              organizationId,
              clinicId: clinicIds[index % CLINICS],
              revision: 1,
              createdTime: time,
              lastEditTime: time,
              name: 'Test Patient',
              phone: '+1 202 555 0100',
            },
            cipher,
          );
        }),
        { ordered: false },
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
};
await plant();

const api = await startApp(
  'api',
  {
    MONGODB_URL: url,
    REDIS_URL: engines.redis.url,
    REDIS_PREFIX: `{${name}}`,
    ENCRYPTION_KEYS: encryptionKeys,
  },
  profiling(),
);
const pool = new Pool(api.url, { connections: 1, pipelining: 1 });

const ofAll = await keyOf();
const [first = ''] = clinicIds;
const CONTESTANTS = {
  'a key of all clinics, with `clinicId`': { as: ofAll, query: `clinicId=${first}&` },
  'a key of this clinic': { as: await keyOf([first]), query: '' },
  'a key of this clinic, with `clinicId`': { as: await keyOf([first]), query: `clinicId=${first}&` },
  'a key of three clinics': { as: await keyOf(clinicIds.slice(0, 3)), query: '' },
} as const;
type Contestant = keyof typeof CONTESTANTS;
const BASE: Contestant = 'a key of all clinics, with `clinicId`';

/** Reads pages, each after the one before. @returns milliseconds and milliseconds of the api's CPU for a page */
const turn = async (contestant: Contestant): Promise<{ time: number; cpu: number }> => {
  const { as, query } = CONTESTANTS[contestant];
  let cursor = '';
  const [before = 0] = cpuTimes([api.pid]);
  const startedAt = performance.now();
  for (let page = 0; page < PAGES; page++) {
    const path = `/api/patients?${query}limit=100${cursor}`;
    const response = await pool.request({ method: 'GET', path, headers: { authorization: as } });
    const rows = (await response.body.json()) as { clinicId: string }[];
    if (response.statusCode !== 200 || rows.length !== 100) throw new Error(`${path} ${response.statusCode}`);
    cursor = `&cursor=${encodeURIComponent(String(response.headers['x-next-cursor']))}`;
  }
  const time = (performance.now() - startedAt) / PAGES;
  const [after = 0] = cpuTimes([api.pid]);
  return { time, cpu: (after - before) / PAGES };
};

/** Resolves when each list responds: the database needs statistics of so many new rows before it uses the right indexes. */
const settle = async (): Promise<void> => {
  for (const { as, query } of Object.values(CONTESTANTS))
    for (;;) {
      const path = `/api/patients?${query}limit=100`;
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path,
        headers: { authorization: as },
      });
      await body.dump();
      if (statusCode === 200) break;
      await sleep(1000);
    }
};
await settle();

const names = Object.keys(CONTESTANTS) as Contestant[];
const figures = Object.fromEntries(
  names.map((each) => [each, { time: [], cpu: [], ratio: [] }]),
) as unknown as Record<Contestant, Record<'time' | 'cpu' | 'ratio', number[]>>;
for (let round = -1; round < ROUNDS; round++) {
  const measured = new Map<Contestant, { time: number; cpu: number }>();
  for (const contestant of shuffled(names)) measured.set(contestant, await turn(contestant));
  const base = measured.get(BASE);
  // The first round is a warm-up.
  if (round < 0 || base === undefined) continue;
  for (const [each, { time, cpu }] of measured) {
    figures[each].time.push(time);
    figures[each].cpu.push(cpu);
    figures[each].ratio.push(time / base.time);
  }
}
await pool.close();
await api.stop();
await client.close();
await store.close();
await engines.stop();

const lines = names.map((each) => {
  const { time, cpu, ratio } = figures[each];
  return `| ${each} | ${spread(time, 1)} | ${spread(cpu, 1)} | ${spread(ratio, 2)} |`;
});
const table = `| | ms a page | CPU of the api, ms a page | to the first |
| --- | --- | --- | --- |
${lines.join('\n')}`;
console.log(table);
const circumstances = optionOf('--write');
if (circumstances !== undefined) {
  const text = `# Lists of a key of some clinics

\`pnpm --filter @chairside/bench bound-lists\`, ${today()}, ${machine()}, ${circumstances}. ${ROWS.toLocaleString('en')} patients of one organization in ${CLINICS} clinics. In
each of ${ROUNDS} rounds, every contestant reads the first ${PAGES} pages of 100 patients, one after the other. Median, lowest and highest.

${table}
`;
  writeFileSync(fileURLToPath(new URL('results.md', import.meta.url)), text);
}
