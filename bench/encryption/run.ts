// Compares the service on an encrypted database with the service on one that stores text, in turns. Both databases are on the
// same engines. Usage: pnpm --filter @chairside/bench encryption [--before <folder>] [--many <patients>] [--write "what else ran
// on the machine"]
//
// With --before, the text side is run by the built apps of another checkout, such as that of an earlier version.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { newId } from '@chairside/domain';
import { startEngines } from '@chairside/local-services';
import { SERVICE_ENVIRONMENT, SERVICE_FLAGS } from '@chairside/processes';
import { type App, startServer } from '../apps.ts';
import { closedLoop, openCaller } from '../calls.ts';
import { patientFields } from '../patient.ts';
import { cpuTimes, peakMemory } from '../processes.ts';
import { startReceiver } from '../receiver.ts';
import { machine, optionOf, today } from '../report.ts';
import { openService, type Service } from '../service.ts';
import { pick, quantile, shuffled, spread } from '../statistics.ts';

const ROUNDS = 9;
const TURN_MS = 2000;
const IN_FLIGHT = 20;
const PATIENTS = 1000;
const KEYS = 20;
/** The events of a turn from the POST to the last outcome. */
const EVENTS = 600;
const MANY = Number(optionOf('--many') ?? 1_000_000);
const MANY_BATCH = 5000;
const MANY_ROUNDS = 3;
const OPERATIONS = ['get', 'list of 100', 'create', 'end to end'] as const;
type Operation = (typeof OPERATIONS)[number];
type Side = 'text' | 'encrypted';
const SIDES: readonly Side[] = ['text', 'encrypted'];

const before = optionOf('--before');

/** Starts a built app; on the text side, that of the checkout in `--before`. */
const startOn = (
  side: Side,
  name: 'api' | 'webhook-dispatcher',
  { environment }: Pick<Service, 'environment'>,
): Promise<App> =>
  startServer(
    [
      ...SERVICE_FLAGS,
      `${side === 'text' && before !== undefined ? `${before}/` : ''}apps/${name}/dist/main.js`,
    ],
    name === 'api' ? 'PORT' : 'HEALTH_PORT',
    { METRICS_PORT: '0', ...SERVICE_ENVIRONMENT, EVENT_BYTES_PER_MINUTE: String(2 ** 40), ...environment },
  );

/** Makes a new database one of an earlier version, before anything confidential is stored. */
const storeText = async ({ database }: Service): Promise<void> => {
  const forms = database.collection('databaseForm');
  await forms.updateOne({}, { $set: { oldestReader: 1 }, $unset: { encryption: '' } });
  if (before !== undefined) await database.collection('patients').dropIndex('email_token');
};

type Contestant = {
  service: Service;
  api: App;
  dispatcher: App;
  run: Record<Operation, () => Promise<number>>;
  createMany(): Promise<void>;
  listMany(): Promise<{ seconds: number; cpuSeconds: number; bytes: number; memory: number }>;
  bytesOfPatient(): Promise<number>;
  close(): Promise<void>;
};

/** Calls per second of a closed loop. */
const turn = async (work: () => Promise<unknown>): Promise<number> => {
  const { done, seconds } = await closedLoop(work, IN_FLIGHT, TURN_MS);
  return done / seconds;
};

const engines = await startEngines({ ephemeral: true });
const receiver = await startReceiver();

const openContestant = async (side: Side): Promise<Contestant> => {
  const service = await openService(engines.mongodb.url, engines.redis.url);
  if (side === 'text') await storeText(service);
  const api = await startOn(side, 'api', service);
  const dispatcher = await startOn(side, 'webhook-dispatcher', service);
  const listed = await service.createClinic([]);
  const silent = await service.createClinic([]);
  const sending = await service.createClinic([receiver.url]);
  const many = await service.createClinic([]);
  const authorizations = await Promise.all(
    Array.from(
      { length: KEYS },
      async () => `Basic ${Buffer.from(await service.createApiKey()).toString('base64')}`,
    ),
  );
  const { call, close: closeCaller } = openCaller(api.url, authorizations, IN_FLIGHT);
  const create = (clinicId: string) => call('POST', '/api/patients', patientFields(clinicId));
  const ids: string[] = [];
  for (let index = 0; index < PATIENTS; index++)
    ids.push(JSON.parse(await create(listed.clinicId))._id as string);
  await service.untilDone();

  const endToEnd = async (): Promise<number> => {
    const startedAt = performance.now();
    let left = EVENTS;
    await Promise.all(
      Array.from({ length: IN_FLIGHT }, async () => {
        while (left-- > 0) await create(sending.clinicId);
      }),
    );
    await service.untilDone();
    return (EVENTS * 1000) / (performance.now() - startedAt);
  };

  return {
    service,
    api,
    dispatcher,
    run: {
      get: () => turn(() => call('GET', `/api/patients/${pick(ids)}`)),
      'list of 100': () => turn(() => call('GET', `/api/patients?clinicId=${listed.clinicId}&limit=100`)),
      create: () => turn(() => create(silent.clinicId)),
      'end to end': endToEnd,
    },
    async createMany() {
      for (let from = 0; from < MANY; from += MANY_BATCH) {
        await Promise.all(
          Array.from({ length: Math.min(MANY_BATCH, MANY - from) }, () =>
            service.organization.patients.create({
              _id: newId(),
              ...patientFields(many.clinicId),
              lastEditTime: new Date().toISOString(),
            }),
          ),
        );
      }
    },
    async listMany() {
      // A new process is measured, because the highest memory must not include earlier work.
      const fresh = await startOn(side, 'api', service);
      const [cpu = 0] = cpuTimes([fresh.pid]);
      const startedAt = performance.now();
      const response = await fetch(`${fresh.url}/api/patients?clinicId=${many.clinicId}`, {
        headers: { authorization: authorizations[0] ?? '', 'accept-encoding': 'identity' },
      });
      let bytes = 0;
      for await (const chunk of response.body ?? []) bytes += chunk.length;
      const seconds = (performance.now() - startedAt) / 1000;
      const cpuSeconds = ((cpuTimes([fresh.pid])[0] ?? 0) - cpu) / 1000;
      const memory = peakMemory(fresh.pid);
      await fresh.stop();
      return { seconds, cpuSeconds, bytes, memory };
    },
    async bytesOfPatient() {
      const size = { $avg: { $bsonSize: '$$ROOT' } };
      const match = { $match: { clinicId: listed.clinicId } };
      const [found] = await service.database
        .collection('patients')
        .aggregate([match, { $group: { _id: null, size } }])
        .toArray();
      return found?.size as number;
    },
    async close() {
      await closeCaller();
      await Promise.all([api.stop(), dispatcher.stop()]);
      await service.close();
    },
  };
};

const contestants: Record<Side, Contestant> = {
  text: await openContestant('text'),
  encrypted: await openContestant('encrypted'),
};

const compare = (text: readonly number[], encrypted: readonly number[]): string => {
  const ratios = encrypted.map((value, round) => value / (text[round] ?? Number.NaN));
  return `${spread(ratios, 2)} | ${(quantile(encrypted, 0.5) / quantile(text, 0.5)).toFixed(2)}`;
};

const rows: string[] = [];
for (const operation of OPERATIONS) {
  const rates: Record<Side, number[]> = { text: [], encrypted: [] };
  // The first round is a warm-up.
  for (let round = -1; round < ROUNDS; round++) {
    for (const side of shuffled(SIDES)) {
      const rate = await contestants[side].run[operation]();
      if (round >= 0) rates[side].push(rate);
    }
  }
  const row = `| ${operation} | ${spread(rates.text)} | ${spread(rates.encrypted)} | ${compare(rates.text, rates.encrypted)} |`;
  console.log(row);
  rows.push(row);
}

const lists: Record<Side, Awaited<ReturnType<Contestant['listMany']>>[]> = { text: [], encrypted: [] };
if (MANY > 0) {
  for (const side of SIDES) await contestants[side].createMany();
  for (let round = 0; round < MANY_ROUNDS; round++)
    for (const side of shuffled(SIDES)) lists[side].push(await contestants[side].listMany());
}
const listRow = (
  name: string,
  of: (list: (typeof lists)['text'][number]) => number,
  digits: number,
): string => {
  const [text, encrypted] = SIDES.map((side) => lists[side].map(of)) as [number[], number[]];
  return `| ${name} | ${spread(text, digits)} | ${spread(encrypted, digits)} | ${compare(text, encrypted)} |`;
};
const listRows =
  MANY === 0
    ? []
    : [
        listRow(`list of ${MANY.toLocaleString('en')}, seconds`, ({ seconds }) => seconds, 1),
        listRow('its CPU time in the api, seconds', ({ cpuSeconds }) => cpuSeconds, 1),
        listRow('highest memory of the api, MiB', ({ memory }) => memory, 0),
      ];
for (const row of listRows) console.log(row);
const [textBytes, sealedBytes] = await Promise.all(SIDES.map((side) => contestants[side].bytesOfPatient()));
const bytes = `A patient of this bench has ${textBytes?.toFixed(0)} bytes as text and ${sealedBytes?.toFixed(0)} bytes encrypted (BSON, without its events).`;
console.log(bytes);

for (const { close } of Object.values(contestants)) await close();
await receiver.stop();
await engines.stop();

const remark = optionOf('--write');
if (remark !== undefined) {
  const where = `${machine()}, Node ${process.version}, ${engines.mongodb.source}, ${engines.redis.source}`;
  writeFileSync(
    fileURLToPath(new URL('results.md', import.meta.url)),
    `# What encryption costs

\`pnpm --filter @chairside/bench encryption --write "…"\`, ${today()}, on ${where}.
What else ran: ${remark}. *Text* is ${before === undefined ? 'this version on a database that is not encrypted' : 'the version before encryption'}.
Calls or events per second, ${IN_FLIGHT} in flight: the median of ${ROUNDS} interleaved turns of ${TURN_MS / 1000} s (end to end: of ${EVENTS} events with one
subscription, until every outcome was stored), with the lowest and the highest. The ratios are *encrypted / text*: of the turns of the same
round, and of the medians. All processes, including the load generator and the engines, share the cores.

| | text | encrypted | ratio of turns | ratio of medians |
| --- | --- | --- | --- | --- |
${[...rows, ...listRows].join('\n')}

${bytes}
`,
  );
}
