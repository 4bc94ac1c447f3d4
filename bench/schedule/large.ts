import { newId, readOpeningHours } from '@chairside/domain';
import { startEngines } from '@chairside/local-services';
import { withDatabase } from '@chairside/mongodb';
import { openSchedule } from '@chairside/mongodb/schedule';
import { findAvailability } from '@chairside/schedule';
import { MongoClient } from 'mongodb';
import { quantile } from '../statistics.ts';

/** The most appointments that one search may read. */
export const APPOINTMENTS = 100_000;
export const PROVIDERS = 50;
const CHAIRS = 100;
const GROUP = 5000;
const ROUNDS = 7;
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const FROM = Date.parse('2030-03-10T00:00:00Z');
const dateAfter = (days: number): string => new Date(FROM + days * DAY).toISOString().slice(0, 10);
const ORGANIZATION = 'organization';
const CLINIC = 'clinic';

/** Milliseconds of the rounds, and the largest memory of the process so far, in MiB. */
const measured = async (work: () => Promise<unknown>) => {
  await work();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  const memory = process.resourceUsage().maxRSS / 1024;
  return { median: quantile(times, 0.5), highest: Math.max(...times), memory };
};

/** Measures searches for free slots of 31 days among the most appointments that one may read, with the store. */
export const largeSearches = async (): Promise<string> => {
  const engines = await startEngines({ ephemeral: true });
  const url = withDatabase(engines.mongodb.url, `bench_${newId()}`);
  const client = new MongoClient(url);
  const schedule = openSchedule({ url, appName: 'chairside-bench' });
  try {
    const database = client.db();
    const insert = (name: string, document: object) => database.collection(name).insertOne(document);
    await database.collection('appointments').createIndexes([
      { key: { organizationId: 1, clinicId: 1, startTime: 1, _id: 1 }, name: 'clinic' },
      { key: { organizationId: 1, providerId: 1, startTime: 1, _id: 1 }, name: 'provider' },
    ]);
    await insert('clinics', {
      _id: CLINIC as never,
      organizationId: ORGANIZATION,
      timezone: 'Europe/Zurich',
    });
    const day = [{ opens: '07:00', closes: '20:00' }];
    const names = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
    const weekdays = Object.fromEntries(names.map((name) => [name, day]));
    const read = readOpeningHours({ weekdays, chairs: CHAIRS, slotMinutes: 15 });
    if ('issues' in read) throw new Error(JSON.stringify(read.issues));
    await insert('openingHours', { _id: CLINIC as never, organizationId: ORGANIZATION, ...read.hours });
    for (let index = 0; index < PROVIDERS; index++)
      await insert('providers', {
        _id: `provider-${index}` as never,
        organizationId: ORGANIZATION,
        name: 'Dr. Ines Albers',
        clinicIds: [CLINIC],
      });
    for (let from = 0; from < APPOINTMENTS; from += GROUP)
      await database.collection('appointments').insertMany(
        Array.from({ length: GROUP }, (_, index) => {
          const number = from + index;
          const start = FROM + ((number * 7919) % (31 * 1440)) * MINUTE;
          return {
            organizationId: ORGANIZATION,
            clinicId: CLINIC,
            providerId: `provider-${number % PROVIDERS}`,
            startTime: new Date(start),
            endTime: new Date(start + (15 + ((number * 13) % 6) * 15) * MINUTE),
            status: 'SCHEDULED',
            revision: 1,
          };
        }),
      );

    const own = schedule.organization(ORGANIZATION);
    const range = { clinicId: CLINIC, from: new Date(FROM - DAY / 24), to: new Date(FROM + 31 * DAY) };
    const search = { clinicId: CLINIC, from: dateAfter(0), to: dateAfter(30), durationMinutes: 30 };
    const [providerId, now] = ['provider-7', new Date(FROM - DAY)];
    const rows: string[] = [];
    for (const [name, given] of [
      ['without a provider', {}],
      ['with a provider', { providerId }],
    ] as const) {
      const reading = await measured(() => own.occupied({ ...range, ...given }, () => 'read'));
      const searching = await measured(() => findAvailability(own, { ...search, ...given }, now));
      const share = (searching.median / reading.median).toFixed(2);
      const shown = [reading, searching].flatMap(({ median, highest, memory }) => [
        median.toFixed(0),
        highest.toFixed(0),
        memory.toFixed(0),
      ]);
      rows.push(`| ${[name, ...shown, share].join(' | ')} |`);
    }
    return [
      '| | reading, median, ms | highest, ms | memory, MiB | search, median, ms | highest, ms | memory, MiB | search / reading |',
      '|---|---|---|---|---|---|---|---|',
      ...rows,
    ].join('\n');
  } finally {
    await schedule.close();
    await client.db().dropDatabase();
    await client.close();
    await engines.stop();
  }
};
