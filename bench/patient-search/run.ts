// What the search by name and telephone number costs. Usage: pnpm --filter @chairside/bench patient-search [--many <patients>]
// [--write "what else ran on the machine"]
//
// Creations are compared between an organization with search tokens and one whose search is off, in turns. Then searches in
// many patients are compared with reads of one patient, also in turns.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { newId } from '@chairside/domain';
import { startEngines } from '@chairside/local-services';
import { type App, startApp } from '../apps.ts';
import { closedLoop, openCaller } from '../calls.ts';
import { cpuTimes, peakMemory } from '../processes.ts';
import { machine, optionOf, today } from '../report.ts';
import { countryOf } from '../search-tokens/names.ts';
import { populationOf, randomOf } from '../search-tokens/population.ts';
import { openService, type Service } from '../service.ts';
import { pick, quantile, shuffled, spread } from '../statistics.ts';

/** Creations are compared in more rounds than searches, because they differ by less. */
const CREATION_ROUNDS = 31;
const ROUNDS = 9;
const TURN_MS = 2000;
const IN_FLIGHT = 20;
const KEYS = 20;
/** Calls of each kind in a round, one after the other. */
const CALLS = 5;
const MANY = Number(optionOf('--many') ?? 1_000_000);
const MANY_BATCH = 5000;
type Side = 'on' | 'off';
const SIDES: readonly Side[] = ['on', 'off'];

const country = countryOf();
/** People with the names of a country. They are used again and again. */
const people = populationOf(country, 1_000_000, randomOf(1));
let made = 0;
/** A patient. A tenth of them are called Marlene, and every ten-thousandth Zacharias. */
const patient = (clinicId: string) => {
  const at = made++ % people.size;
  const drawn = country.first.names[people.first[at] ?? 0];
  const first = made % 10_000 === 5 ? 'Zacharias' : made % 10 === 0 ? 'Marlene' : drawn;
  const last = country.last.names[people.last[at] ?? 0];
  return {
    clinicId,
    name: `${first} ${last}`,
    email: `${newId()}@example.com`,
    phone: `+1${people.phone[at]}`,
  };
};

const startApi = ({ environment }: Service): Promise<App> =>
  startApp('api', { EVENT_BYTES_PER_MINUTE: String(2 ** 40), ...environment });

const engines = await startEngines({ ephemeral: true });

const openContestant = async (side: Side) => {
  const service = await openService(engines.mongodb.url, engines.redis.url);
  if (side === 'off')
    await service.database.collection('organizations').updateOne({}, { $set: { patientSearch: 'off' } });
  const api = await startApi(service);
  const { clinicId } = await service.createClinic([]);
  const keys = await Promise.all(Array.from({ length: KEYS }, () => service.createApiKey()));
  const authorizations = keys.map((key) => `Basic ${Buffer.from(key).toString('base64')}`);
  const { call, close: closeCaller } = openCaller(api.url, authorizations, IN_FLIGHT);
  return {
    service,
    api,
    clinicId,
    call,
    authorization: authorizations[0] ?? '',
    create: () => call('POST', '/api/patients', patient(clinicId)),
    async close() {
      await closeCaller();
      await api.stop();
      await service.close();
    },
  };
};
type Contestant = Awaited<ReturnType<typeof openContestant>>;

/** Creations per second of a closed loop, and the CPU time of the api for each, in milliseconds. */
const turn = async ({ create, api: { pid } }: Contestant): Promise<{ rate: number; cpu: number }> => {
  const [before = 0] = cpuTimes([pid]);
  const { done, seconds } = await closedLoop(create, IN_FLIGHT, TURN_MS);
  const [after = 0] = cpuTimes([pid]);
  return { rate: done / seconds, cpu: (after - before) / done };
};

const contestants: Record<Side, Contestant> = {
  on: await openContestant('on'),
  off: await openContestant('off'),
};
const rates: Record<Side, number[]> = { on: [], off: [] };
const cpus: Record<Side, number[]> = { on: [], off: [] };
// The first round is a warm-up.
for (let round = -1; round < CREATION_ROUNDS; round++) {
  for (const side of shuffled(SIDES)) {
    const { rate, cpu } = await turn(contestants[side]);
    if (round < 0) continue;
    rates[side].push(rate);
    cpus[side].push(cpu);
  }
}
const ratios = rates.on.map((rate, round) => rate / (rates.off[round] ?? Number.NaN));
const median = (values: readonly number[]): number => quantile(values, 0.5);
const creation = `| create | ${spread(rates.off)} | ${spread(rates.on)} | ${spread(ratios, 2)} | ${(median(rates.on) / median(rates.off)).toFixed(2)} |`;
console.log(creation);
const cpuOfCreation = `CPU time of the api for a creation: ${spread(cpus.off, 3)} ms with the search off, ${spread(cpus.on, 3)} ms with it on.`;
console.log(cpuOfCreation);

const { service, api, call, clinicId, authorization } = contestants.on;
const patients = service.database.collection('patients');
const bytesOf = async (side: Side): Promise<number> => {
  const [found] = await contestants[side].service.database
    .collection('patients')
    .aggregate([{ $limit: 1000 }, { $group: { _id: null, size: { $avg: { $bsonSize: '$$ROOT' } } } }])
    .toArray();
  return found?.size as number;
};
const documentBytes = (await bytesOf('on')) - (await bytesOf('off'));
await contestants.off.close();

const startedAt = performance.now();
const ids: string[] = [];
for (let left = MANY - (await patients.countDocuments()); ids.length === 0 || left > 0; left -= MANY_BATCH) {
  const batch = Array.from({ length: MANY_BATCH }, () => ({
    _id: newId(),
    ...patient(clinicId),
    lastEditTime: new Date().toISOString(),
  }));
  await Promise.all(batch.map((record) => service.organization.patients.create(record)));
  ids.push(pick(batch)._id);
}
console.log(`filled after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
const { indexSizes } = await service.database.command({ collStats: 'patients' });
const count = await patients.estimatedDocumentCount();
const indexBytes = (indexSizes as Record<string, number>).search_tokens ?? Number.NaN;
const [tokens] = await patients
  .aggregate([
    { $limit: 1000 },
    {
      $group: {
        _id: null,
        count: { $avg: { $size: '$searchTokens' } },
        more: { $avg: { $size: '$filterTokens' } },
      },
    },
  ])
  .toArray();

const search = (body: object) => call('POST', '/api/patients/search', { limit: 100, ...body });
const someone = JSON.parse(await call('GET', `/api/patients/${pick(ids)}`));
const [, last = ''] = someone.name.split(' ');
const searchAt = ({ url }: App, body: object): Promise<Response> =>
  fetch(`${url}/api/patients/search`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const firstPage = await searchAt(api, { name: 'marlene', limit: 100 });
await firstPage.arrayBuffer();
const cursor = firstPage.headers.get('x-next-cursor');
const CASES: Record<string, () => Promise<string>> = {
  'read of one patient': () => call('GET', `/api/patients/${pick(ids)}`),
  'first 100 of a tenth of all': () => search({ name: 'marlene' }),
  'next 100 of a tenth of all': () => search({ name: 'marlene', cursor }),
  'first 100 of a tenth of all, by three letters': () => search({ name: 'mar' }),
  'first and last name, a tenth has the first': () => search({ name: `marlene ${last}` }),
  'a rare name': () => search({ name: 'zacharias' }),
  'one patient by the whole last name': () => search({ name: last }),
  'one patient by six digits': () => search({ phone: someone.phone.slice(-6) }),
  'one patient by ten digits': () => search({ phone: someone.phone.slice(-10) }),
};
const times: Record<string, number[]> = Object.fromEntries(Object.keys(CASES).map((name) => [name, []]));
const found: Record<string, number> = {};
for (let round = -1; round < ROUNDS; round++) {
  for (const name of shuffled(Object.keys(CASES))) {
    const taken: number[] = [];
    for (let calls = 0; calls < CALLS; calls++) {
      const begun = performance.now();
      const text = await CASES[name]?.();
      taken.push(performance.now() - begun);
      const rows = JSON.parse(text ?? '[]');
      found[name] = Array.isArray(rows) ? rows.length : 1;
    }
    if (round >= 0) times[name]?.push(median(taken));
  }
}
const one = median(times['read of one patient'] ?? []);
const rows = Object.entries(times).map(
  ([name, taken]) =>
    `| ${name} | ${found[name]} | ${spread(taken, 1)} | ${(median(taken) / one).toFixed(1)} |`,
);
for (const row of rows) console.log(row);

const fresh = await startApi(service);
const before = peakMemory(fresh.pid);
const streamedAt = performance.now();
const response = await searchAt(fresh, { name: 'marlene' });
let bytes = 0;
for await (const chunk of response.body ?? []) bytes += chunk.length;
const streamed = `A list of all ${Math.floor(count / 10).toLocaleString('en')} patients of that name, ${(bytes / 2 ** 20).toFixed(0)} MiB: ${((performance.now() - streamedAt) / 1000).toFixed(1)} s; the highest memory of the api was ${before.toFixed(0)} MiB before and ${peakMemory(fresh.pid).toFixed(0)} MiB after.`;
console.log(streamed);
const size = `A patient of this bench has ${tokens?.count.toFixed(1)} tokens in the index and ${tokens?.more.toFixed(1)} others: ${documentBytes.toFixed(0)} bytes in its document (BSON), and ${(indexBytes / count).toFixed(0)} bytes in the index, by the statistics of the database.`;
console.log(size);

await fresh.stop();
await contestants.on.close();
await engines.stop();

const remark = optionOf('--write');
if (remark !== undefined) {
  const where = `${machine()}, Node ${process.version}, ${engines.mongodb.source}, ${engines.redis.source}`;
  writeFileSync(
    fileURLToPath(new URL('results.md', import.meta.url)),
    `# What the search costs

\`pnpm --filter @chairside/bench patient-search --write "…"\`, ${today()}, on ${where}.
What else ran: ${remark}.

Creations per second, ${IN_FLIGHT} in flight: the median of ${CREATION_ROUNDS} interleaved turns of ${TURN_MS / 1000} s, with the lowest and the highest. The ratios are
*with search tokens / with the search off*: of the turns of the same round, and of the medians.

| | search off | search on | ratio of turns | ratio of medians |
| --- | --- | --- | --- | --- |
${creation}

${cpuOfCreation}

${size}

Names are distributed as in the US census of 1990 (\`bench/search-tokens\`). In an organization of ${count.toLocaleString('en')} patients, milliseconds of a call, one after the other: the median of ${ROUNDS} rounds, each the median of
${CALLS} calls, with the lowest and the highest.

| call | rows | ms | reads of one patient |
| --- | --- | --- | --- |
${rows.join('\n')}

${streamed}
`,
  );
}
