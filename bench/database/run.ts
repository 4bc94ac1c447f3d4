// Measures operations of the store on a large database. Usage: pnpm --filter @chairside/bench database
// [--rows 300000,3000000] [--write "what else ran"]
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@chairside/domain';
import { startEngines } from '@chairside/local-services';
import { openStore, withDatabase } from '@chairside/mongodb';
import { sealedEvent } from '@chairside/test-support';
import { type Db, MongoClient } from 'mongodb';
import { machine, optionOf, today } from '../report.ts';
import { quantile } from '../statistics.ts';

const ROUNDS = 5;
const GROUP = 5000;
const HOUR = 3_600_000;
const DAYS_30 = 720 * HOUR;
const SUBSCRIPTIONS = 1000;
const HOURS = 24;
const ORGANIZATION = 'ORGANIZATION';
const PATIENT = newId();

type Store = ReturnType<typeof openStore>;
/** The median and the highest time, in milliseconds. */
type Times = { median: number; highest: number };

const timesOf = async (work: () => Promise<unknown>, rounds = ROUNDS): Promise<Times> => {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return { median: quantile(times, 0.5), highest: Math.max(...times) };
};

const plant = async (database: Db, name: string, rows: number, rowOf: (index: number) => object) => {
  for (let from = 0; from < rows; from += GROUP)
    await database.collection(name).insertMany(
      Array.from({ length: Math.min(GROUP, rows - from) }, (_, index) => rowOf(from + index)),
      { ordered: false },
    );
};

/** The beginning of the day whose deliveries are planted. */
const DAY_BEGIN = Math.floor(Date.now() / HOUR) * HOUR - HOURS * HOUR;

const plantAll = async ({ ciphers }: Store, database: Db, rows: number): Promise<void> => {
  const cipher = await ciphers.of(ORGANIZATION);
  const timeOf = (index: number) => new Date(DAY_BEGIN + Math.floor((index / rows) * HOURS * HOUR));
  const later = (time: Date) => new Date(time.getTime() + DAYS_30);
  const subscriptionOf = (index: number) => `subscription-${String(index % SUBSCRIPTIONS).padStart(4, '0')}`;
  const common = { organizationId: ORGANIZATION, clinicId: 'clinic' };
  await plant(database, 'subscriptions', SUBSCRIPTIONS, (index) => ({
    _id: subscriptionOf(index),
    organizationId: ORGANIZATION,
    clinicId: `clinic-${index}`,
    slot: 0,
  }));
  await plant(database, 'deliveries', rows, (index) => {
    const time = timeOf(index);
    return {
      ...common,
      _id: `delivery-${index}`,
      subscriptionId: subscriptionOf(index * 7919),
      eventId: `event-${index}`,
      event: 'patient.created',
      kind: 'event',
      ...(index % 3000 === 0
        ? { status: 'skipped', cause: 'subscription_disabled' }
        : { status: 'succeeded', attemptTime: time, duration: 12, statusCode: 200 }),
      createdTime: time,
      finalTime: time,
      expireAt: later(time),
    };
  });
  await plant(database, 'events', rows, (index) =>
    sealedEvent(
      {
        _id: `event-${index}`,
        organizationId: ORGANIZATION,
        event: 'patient.updated',
        kind: 'patient',
        recordId: `record-${index}`,
        patientId: `record-${index}`,
        clinicIds: ['clinic'],
        body: JSON.stringify({ patientId: `record-${index}`, note: 'x'.repeat(300) }),
        time: timeOf(index),
        insertedAt: timeOf(index),
        retainUntil: later(timeOf(index)),
      },
      cipher,
    ),
  );
  await plant(database, 'auditEntries', rows, (index) => ({
    _id: `entry-${index}`,
    organizationId: ORGANIZATION,
    time: timeOf(index),
    action: 'read',
    principal: { kind: 'apiKey', id: 'key' },
    kind: 'patient',
    ids: [`record-${index}`],
    result: 'ok',
    requestId: `request-${index}`,
    expireAt: later(timeOf(index)),
  }));
};

const drained = async (rows: AsyncIterable<unknown>): Promise<void> => {
  for await (const _row of rows);
};

/** The operations, in the order in which they run. */
const measured = async (store: Store, database: Db): Promise<Record<string, Times>> => {
  const { audit, events } = store.organization(ORGANIZATION);
  const { deliveries, deliveryHours, administration } = store.everyOrganization;
  const until = new Date();
  const rareEvents = { events: ['patient.updated' as const], clinicId: 'elsewhere', until };
  const rareEntries = { action: ['deleted' as const] };
  const page = { limit: 100, order: 'desc' as const };
  const rows = database.collection('deliveries');
  const hour = DAY_BEGIN + (HOURS - 2) * HOUR;
  const results: Record<string, Times> = {};

  results['a page of events with a rare filter'] = await timesOf(async () => {
    // The version before has no end of a page.
    const stop = await events.examinedTo?.(rareEvents, page);
    await drained(events.page(rareEvents, { ...page, stop }));
  });
  results['a page of audit entries with a rare filter'] = await timesOf(async () => {
    if (!audit.examinedTo) return drained(audit.page(rareEntries, undefined as never, 100));
    const downTo = await audit.examinedTo(rareEntries, undefined);
    return drained(audit.page(rareEntries, { downTo }, 100));
  });
  results['requeueing the skipped deliveries of a subscription'] = await timesOf(() =>
    deliveries.requeueSkipped('subscription-0000', new Date(DAY_BEGIN)),
  );
  results['one pass of erasing a patient'] = await timesOf(() =>
    administration.erasePatient({ id: newId(), organizationId: ORGANIZATION }, PATIENT, {
      keepBilling: false,
      isTrial: true,
    }),
  );
  await database
    .collection<{ _id: string }>('hourProgress')
    .updateOne(
      { _id: 'deliveryHours' },
      { $set: { closedTo: new Date(hour), revision: 0 } },
      { upsert: true },
    );
  const steps: number[] = [];
  for (let more = true; more; ) {
    const startedAt = performance.now();
    more = await deliveryHours.closeNext(new Date(hour + HOUR), new Date());
    steps.push(performance.now() - startedAt);
  }
  const whole = steps.reduce((sum, step) => sum + step, 0);
  results['closing an hour of the statistics'] = { median: whole, highest: whole };
  results['its longest step'] = { median: Math.max(...steps), highest: Math.max(...steps) };
  const late = await rows.findOne({ expireAt: { $gte: new Date(hour + DAYS_30) }, status: 'succeeded' });
  results['a late outcome in that hour'] = await timesOf(async () => {
    await rows.updateOne({ _id: late?._id as never }, { $set: { reopened: [late?.finalTime] } });
    await deliveryHours.recompute(new Date(), 200);
  });
  return results;
};

const run = async (mongodbUrl: string, rows: number) => {
  const url = withDatabase(mongodbUrl, `bench_${randomBytes(4).toString('hex')}`);
  const client = new MongoClient(url);
  const database = client.db();
  const store = openStore({
    url,
    encryptionKeys: `bench:${randomBytes(32).toString('base64')}`,
    appName: 'chairside-bench',
  });
  try {
    await store.prepare();
    await plantAll(store, database, rows);
    return await measured(store, database);
  } finally {
    await store.close();
    await database.dropDatabase();
    await client.close();
  }
};

const sizes = (optionOf('--rows') ?? '300000').split(',').map(Number);

const dataDirectory = await mkdtemp(join(tmpdir(), 'chairside-bench-'));
const engines = await startEngines({ dataDirectory, onProgress: console.log });
const tables: string[] = [];
try {
  for (const rows of sizes) {
    const results = await run(engines.mongodb.url, rows);
    tables.push(
      [
        `## ${rows.toLocaleString('en')} rows of each kind`,
        '',
        '| milliseconds | median (highest) |',
        '|---|---|',
        ...Object.entries(results).map(
          ([name, { median, highest }]) => `| ${name} | ${median.toFixed(0)} (${highest.toFixed(0)}) |`,
        ),
      ].join('\n'),
    );
    console.log(tables.at(-1));
  }
} finally {
  await engines.stop();
  await rm(dataDirectory, { recursive: true, force: true });
}

const remark = optionOf('--write');
if (remark !== undefined)
  await writeFile(
    join(import.meta.dirname, 'results.md'),
    `# Operations on a large database

- Command: \`pnpm --filter @chairside/bench database --rows ${sizes.join(',')}\`
- Date: ${today()}
- Machine: ${machine()}, ${process.platform}; ${remark}
- Node ${process.versions.node}, FerretDB over PostgreSQL with \`fsync\`
- One organization, ${SUBSCRIPTIONS} subscriptions, ${HOURS} hours of deliveries, events and audit entries. ${ROUNDS} rounds of each operation
  except the closing of an hour. Nothing matches the rare filters. All on the same two cores, so do not compare the values
  with those of other machines.
- On FerretDB, a page with a rare filter is slow. It first finds its end, the 10,000th row, and FerretDB sorts all rows of the
  organization for that, while MongoDB reads 10,000 index entries. MongoDB could not be run where this was measured.

${tables.join('\n\n')}
`,
  );
