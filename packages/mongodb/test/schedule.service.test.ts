import { randomBytes } from 'node:crypto';
import { appointmentStatuses, MAX_APPOINTMENT_DAYS, weekdays } from '@chairside/domain';
import { UnusableDatabaseError } from '@chairside/startup';
import type { Db, Document } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestStore, startDatabaseProxy, type TestStore } from '../../test-support/src/index.ts';
import { OPERATOR_ACCESS } from '../src/access/operator-view.ts';
import { hasNoViews } from '../src/driver/ferretdb.ts';
import { databaseRoles } from '../src/preparation/database-roles.ts';
import { BUSY_FIELDS, SCHEDULE_BUSY } from '../src/schedule/busy-view.ts';
import type { Occupied } from '../src/schedule/organization-schedule.ts';
import { oauthStorageKeys, openOAuthStore } from '../src/stores/oauth-store.ts';
import {
  MAX_BLOCKS,
  MAX_SETTINGS,
  mayReadLater,
  type OrganizationSchedule,
  openSchedule,
  type Schedule,
} from '../src/stores/schedule-store.ts';
import { openWholeStore } from '../src/stores/whole-store.ts';
import { explain } from './explain.ts';
import { neededRole, type SentCommand, sorted } from './role-use.ts';

const ROWS = 6000;
const ORGANIZATIONS = 20;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const from = new Date('2030-03-01T00:00:00Z');
const to = new Date('2030-04-01T00:00:00Z');
const after = (milliseconds: number): Date => new Date(from.getTime() + milliseconds);

let testStore: TestStore;
let schedule: Schedule;
let own: OrganizationSchedule;
/** False on FerretDB. */
let hasViews: boolean;
/** The commands that the schedule has sent since the list was last emptied. */
let sent: SentCommand[] = [];

/** Values that no read may return, for many fields. */
const canaries = {
  patientId: 'CANARY',
  name: 'CANARY',
  notes: 'CANARY',
  title: 'CANARY',
  outbox: [{ body: 'CANARY' }],
  procedures: [{ _id: 'x', procedureId: 'CANARY', name: 'CANARY' }],
  reminders: ['{"text":"CANARY"}'],
  externalId: 'CANARY',
  importDigest: 'CANARY',
  revision: 7,
  lastEditTime: from,
};

const plant = (collection: string, documents: Document[]) =>
  testStore.database.collection(collection).insertMany(documents as (Document & { _id: string })[]);

const rows = (make: (index: number) => Document): Document[] =>
  Array.from({ length: ROWS }, (_, index) => {
    const number = index % ORGANIZATIONS;
    return { _id: `row-${index}`, organizationId: number === 0 ? 'own' : `other-${number}`, ...make(index) };
  });

beforeAll(async () => {
  testStore = await openTestStore();
  hasViews = !(await hasNoViews(testStore.database as Db));
  // Stores many rows of many organizations. With fewer rows, reading all of them would be the best plan.
  await plant(
    'appointments',
    rows((index) => ({
      clinicId: `clinic-${index % 60}`,
      ...(index % 2 === 0 && { providerId: `provider-${index % 200}` }),
      startTime: after((index - ROWS / 2) * 600_000),
      endTime: after((index - ROWS / 2) * 600_000 + HOUR),
      status: appointmentStatuses[index % 5],
      revision: 1,
    })),
  );
  await plant(
    'calendarBlocks',
    rows((index) => ({
      clinicId: `clinic-${index % 60}`,
      ...(index % 2 === 0 && { providerId: `provider-${index % 200}` }),
      startTime: after((index - ROWS / 2) * HOUR),
      endTime: after((index - ROWS / 2 + 1) * HOUR),
      kind: 'BREAK',
    })),
  );
  for (const collection of ['providers', 'procedures', 'clinics', 'openingHours']) {
    await plant(
      collection,
      rows((index) => ({ name: `name ${index}`, clinicIds: [`clinic-${index % 60}`] })),
    );
  }
  schedule = openSchedule({
    url: testStore.url,
    appName: 'test',
    onCommand: (name, command) => sent.push({ name, command }),
  });
  own = schedule.organization('own');
});
afterAll(async () => {
  await schedule.close();
  await testStore.close();
});

const range = { clinicId: 'clinic-20', from, to };
/** What is read for a search, as values that can be compared. */
const shown = ({ blocks, busy }: Occupied) => ({
  blocks: [...blocks],
  atClinic: [...busy.atClinic(15).starts],
  ofProvider: [...busy.ofProvider(15).starts],
});
/** A call of each read. A new read fails the type check until it is called here. */
const calls: { readonly [M in keyof OrganizationSchedule]: (of: OrganizationSchedule) => Promise<unknown> } =
  {
    clinics: (of) => of.clinics(),
    findClinic: (of) => of.findClinic('full'),
    providers: async (of) => [await of.providers(), await of.providers({ clinicId: 'clinic-20' })],
    findProvider: (of) => of.findProvider('full'),
    procedures: async (of) => [
      await of.procedures(),
      await of.procedures({ clinicId: 'clinic-20', query: 'NAME (1' }),
    ],
    findProcedure: (of) => of.findProcedure('full'),
    openingHours: (of) => of.openingHours('full'),
    calendarBlocks: async (of) => [
      await of.calendarBlocks(range),
      await of.calendarBlocks({ ...range, providerId: 'provider-20' }),
    ],
    occupied: async (of) => [
      await of.occupied(range, shown),
      await of.occupied({ ...range, providerId: 'provider-20' }, shown),
    ],
    appointmentStarts: (of) => Array.fromAsync(of.appointmentStarts(range)),
  };

/** The commands of a call, without those that belong to the connection. */
const commandsOf = async (call: () => Promise<unknown>) => {
  sent = [];
  await call();
  return sent.filter(({ name }) => ['find', 'aggregate'].includes(name));
};

test.each(Object.entries(calls))(
  '%s uses an index, names the organization, and projects fields',
  async (_, call) => {
    const commands = await commandsOf(() => call(own));
    expect(commands.length).toBeGreaterThan(0);
    for (const { command } of commands) {
      const { indexes, scansAll, plan } = await explain(testStore.database, command);
      const about = JSON.stringify({ command, plan });
      expect(scansAll, about).toBe(false);
      expect(indexes.length, about).toBeGreaterThan(0);
      if (!('_id' in command.filter)) expect(indexes, about).not.toContain('_id_');
      expect(command.filter.organizationId).toBe('own');
      // A projection may exclude only the field `_id`. It must name every other field that it returns, instead of
      // excluding fields from a whole document.
      const { _id, ...projected } = command.projection;
      expect([0, 1]).toContain(_id);
      expect(new Set(Object.values(projected))).toEqual(new Set([1]));
    }
  },
);

test('a whole life of a connector sends exactly what its role allows', async () => {
  sent = [];
  const connector = openSchedule({
    url: testStore.url,
    appName: 'test',
    onCommand: (name, command) => sent.push({ name, command }),
  });
  await connector.connect();
  await connector.check();
  await connector.ping();
  for (const call of Object.values(calls)) await call(connector.organization('own'));
  await connector.close();
  // Without views, the store reads the appointments.
  expect(neededRole(sent, { appointments: SCHEDULE_BUSY.name })).toEqual(
    sorted(databaseRoles.chairsideSchedule),
  );
});

/** The queries for appointments of a search. */
const appointmentQueries = async (given: Parameters<OrganizationSchedule['occupied']>[0]) =>
  (await commandsOf(() => own.occupied(given, shown))).filter(
    ({ command }) => command.find !== 'calendarBlocks',
  );

test('the times of appointments of 31 days are one scan of one index, bounded at both ends', async () => {
  const commands = await appointmentQueries(range);
  expect(commands).toHaveLength(1);
  const [{ command } = { command: {} as Document }] = commands;
  const { indexes } = await explain(testStore.database, command);
  expect(new Set(indexes)).toEqual(new Set(['clinic']));
  expect(Object.keys(command.filter.startTime)).toEqual(['$gt', '$lt']);
  expect(Object.keys(command.projection)).toEqual(['_id', 'startTime', 'endTime', 'status']);
});

test('finds the appointments that overlap a range and occupy a chair, including one that began 31 days before', async () => {
  const planted = (
    _id: string,
    start: Date | undefined,
    end: Date | undefined,
    status = 'SCHEDULED',
    more = {},
  ) => ({
    _id,
    organizationId: 'times',
    clinicId: 'c',
    ...(start && { startTime: start }),
    ...(end && { endTime: end }),
    status,
    ...more,
  });
  await plant('appointments', [
    planted('long', new Date(from.getTime() + 1 - MAX_APPOINTMENT_DAYS * DAY), after(1)),
    planted('ends at the start', after(-HOUR), from),
    planted('crosses the start', after(-HOUR), after(1)),
    planted('without an end, just before', after(-HOUR), undefined),
    planted('without an end, long before', after(-5 * HOUR), undefined),
    planted('without a start', undefined, undefined),
    planted('begins at the end', to, new Date(to.getTime() + HOUR)),
    planted('crosses the end', new Date(to.getTime() - 1), new Date(to.getTime() + HOUR), 'REQUESTED'),
    planted('arrived', after(HOUR), after(2 * HOUR), 'PATIENT_ARRIVED'),
    planted('canceled', after(HOUR), after(2 * HOUR), 'CANCELED'),
    planted('missed', after(HOUR), after(2 * HOUR), 'NO_SHOW'),
    planted('deleted', after(HOUR), after(2 * HOUR), 'SCHEDULED', { deletedAt: from }),
    planted('another clinic', after(HOUR), after(2 * HOUR), 'SCHEDULED', { clinicId: 'd' }),
    planted('another organization', after(HOUR), after(2 * HOUR), 'SCHEDULED', { organizationId: 'x' }),
  ]);
  const times = schedule.organization('times');
  const found = (await times.occupied({ ...range, clinicId: 'c' }, shown))?.atClinic ?? [];
  expect(new Set(found.map((start) => start - from.getTime()))).toEqual(
    new Set([1 - MAX_APPOINTMENT_DAYS * DAY, -HOUR, to.getTime() - from.getTime() - 1, HOUR]),
  );
  // Two of the appointments found begin an hour before the range: one extends into it, and one has no end.
  expect(found).toHaveLength(5);
  const starts = await Array.fromAsync(times.appointmentStarts({ ...range, clinicId: 'c' }));
  expect(starts.map(({ status }) => status).toSorted()).toEqual([
    'CANCELED',
    'NO_SHOW',
    'PATIENT_ARRIVED',
    'REQUESTED',
  ]);
});

test('the busy intervals of a provider include those at other clinics, from an index, but no chair of them', async () => {
  const planted = (_id: string, more: Document) => ({
    _id: `of provider ${_id}`,
    organizationId: 'provided',
    clinicId: 'c',
    startTime: after(HOUR),
    endTime: after(2 * HOUR),
    status: 'SCHEDULED',
    ...more,
  });
  await plant('appointments', [
    planted('own', { providerId: 'ada' }),
    planted('of another provider', { providerId: 'bo' }),
    planted('without a provider', {}),
    planted('elsewhere', { providerId: 'ada', clinicId: 'd', startTime: after(1.5 * HOUR) }),
    planted('elsewhere, canceled', { providerId: 'ada', clinicId: 'd', status: 'CANCELED' }),
    planted('of another provider elsewhere', { providerId: 'bo', clinicId: 'd' }),
    planted('elsewhere in another organization', { providerId: 'ada', clinicId: 'd', organizationId: 'x' }),
    planted('elsewhere, deleted', { providerId: 'ada', clinicId: 'd', deletedAt: from }),
  ]);
  const countsOf = async (providerId?: string) => {
    const provided = schedule.organization('provided');
    const read = await provided.occupied({ ...range, clinicId: 'c', providerId }, shown);
    return [read?.atClinic.length, read?.ofProvider.length];
  };
  expect(await countsOf()).toEqual([3, 0]);
  expect(await countsOf('ada')).toEqual([3, 2]);
  const commands = await appointmentQueries({ ...range, providerId: 'provider-20' });
  const scans = await Promise.all(commands.map(({ command }) => explain(testStore.database, command)));
  expect(scans.map(({ indexes }) => [...new Set(indexes)])).toEqual([['clinic'], ['provider']]);
});

test('no read returns a field beyond its list, even of documents with every field', async () => {
  const full = (more: Document) => [
    {
      ...canaries,
      _id: 'full',
      organizationId: 'full',
      clinicId: 'clinic-20',
      clinicIds: ['clinic-20'],
      ...more,
    },
  ];
  const busy = { startTime: after(HOUR), endTime: after(2 * HOUR), status: 'SCHEDULED' };
  const shown = { name: 'Shown' };
  const opening = { opens: '08:00', closes: '12:00' };
  const hoursWith = (more: object) => ({
    weekdays: Object.fromEntries(weekdays.map((day) => [day, [{ ...opening, ...more }]])),
    exceptions: [{ date: '2030-12-24', intervals: [{ ...opening, ...more }], ...more }],
    chairs: 2,
    slotMinutes: 15,
  });
  await plant('appointments', full({ ...busy, providerId: 'provider-20' }));
  await plant(
    'clinics',
    full({ ...shown, currency: 'EUR', defaultLocale: 'de-DE', timezone: 'UTC', email: 'CANARY' }),
  );
  await plant('providers', full({ ...shown, email: 'CANARY' }));
  await plant(
    'procedures',
    full({ ...shown, code: 'NAME (1', price: 1, currency: 'EUR', durationMinutes: 30, bookable: true }),
  );
  await plant('calendarBlocks', full({ ...busy, providerId: 'provider-20', kind: 'BREAK' }));
  await plant('openingHours', full(hoursWith({ notes: 'CANARY' })));

  const responses = Object.fromEntries(
    await Promise.all(
      Object.entries(calls).map(async ([name, call]) => [name, await call(schedule.organization('full'))]),
    ),
  );
  expect(JSON.stringify(responses)).not.toContain('CANARY');
  const clinic = { _id: 'full', ...shown, currency: 'EUR', defaultLocale: 'de-DE', timezone: 'UTC' };
  const provider = { _id: 'full', ...shown, clinicIds: ['clinic-20'] };
  const procedure = {
    ...provider,
    code: 'NAME (1',
    price: 1,
    currency: 'EUR',
    durationMinutes: 30,
    bookable: true,
  };
  const block = {
    _id: 'full',
    clinicId: 'clinic-20',
    providerId: 'provider-20',
    startTime: busy.startTime.toISOString(),
    endTime: busy.endTime.toISOString(),
    kind: 'BREAK',
  };
  const whole = (row: object) => ({ rows: [row], isCut: false });
  const read = (row: object) => ({ outcome: 'read', rows: [row] });
  expect(responses).toEqual({
    clinics: whole(clinic),
    findClinic: clinic,
    providers: [whole(provider), whole(provider)],
    findProvider: provider,
    procedures: [whole(procedure), whole(procedure)],
    findProcedure: procedure,
    openingHours: hoursWith({}),
    calendarBlocks: [read(block), read(block)],
    occupied: [
      { blocks: [block], atClinic: [busy.startTime.getTime()], ofProvider: [] },
      { blocks: [block], atClinic: [busy.startTime.getTime()], ofProvider: [busy.startTime.getTime()] },
    ],
    appointmentStarts: [{ startTime: busy.startTime, status: 'SCHEDULED' }],
  });
  for (const call of Object.values(calls)) {
    const other = JSON.stringify(await call(schedule.organization('stranger')));
    expect([
      undefined,
      '[]',
      '{"rows":[],"isCut":false}',
      '{"outcome":"read","rows":[]}',
      '{"blocks":[],"atClinic":[],"ofProvider":[]}',
    ]).toContain(other === undefined ? undefined : other.replace(/^\[(\{.*\}),\1\]$/, '$1'));
  }

  const view = testStore.database.collection(SCHEDULE_BUSY.name);
  const shownBy = [
    await view.find({ organizationId: 'full' }).toArray(),
    await view.aggregate([{ $match: { organizationId: 'full' } }]).toArray(),
    await view
      .find({ organizationId: 'full' }, { projection: { patientId: 1, outbox: 1, startTime: 1 } })
      .toArray(),
    await view.find({ patientId: 'CANARY' }).toArray(),
  ];
  // On a database without views, no collection has this name.
  expect(shownBy.map((documents) => documents.length)).toEqual(hasViews ? [1, 1, 1, 0] : [0, 0, 0, 0]);
  expect(JSON.stringify(shownBy)).not.toContain('CANARY');
  for (const document of shownBy.flat())
    expect(BUSY_FIELDS).toEqual(expect.arrayContaining(Object.keys(document)));
});

test('every read reports that the database is unavailable', async () => {
  const proxy = await startDatabaseProxy(testStore.url);
  const door = openSchedule({ url: proxy.url, appName: 'test' });
  await door.ping();
  // The source of the times is determined before the fault.
  await door.organization('own').occupied(range, shown);
  for (const code of [50, 11_600]) {
    const stop = proxy.inject({ matches: (name) => name === 'find', fault: { kind: 'error', code } });
    const reads = Object.values(calls).map((call) => call(door.organization('own')));
    for (const read of await Promise.allSettled(reads)) {
      expect(read.status === 'rejected' && mayReadLater(read.reason)).toBe(true);
    }
    stop();
  }
  await Promise.all([door.close(), proxy.close()]);
});

test('a long list is cut and marked as cut, and settings are sorted by name', async () => {
  await plant(
    'procedures',
    Array.from({ length: MAX_SETTINGS + 1 }, (_, index) => ({
      _id: `many-${index}`,
      organizationId: 'many',
      name: String((index * 7919) % 10_000).padStart(5, '0'),
    })),
  );
  const { rows: listed, isCut } = await schedule.organization('many').procedures();
  expect([listed.length, isCut]).toEqual([MAX_SETTINGS, true]);
  const names = listed.map(({ name }) => name);
  expect(names).toEqual(names.toSorted());
});

test('more blocks than one read may return yield `too_many` instead of a partial list', async () => {
  const crowded = (count: number, more: Document) =>
    Array.from({ length: count }, (_, index) => ({
      _id: `${more.clinicId}-${index}`,
      organizationId: 'crowded',
      startTime: after(index * 1000),
      endTime: after(index * 1000 + HOUR),
      kind: 'BREAK',
      ...more,
    }));
  await plant('calendarBlocks', crowded(MAX_BLOCKS, { clinicId: 'clinic-20' }));
  const of = schedule.organization('crowded');
  const outcomes = async () =>
    Promise.all(
      [undefined, 'ada'].map(
        async (providerId) => (await of.calendarBlocks({ ...range, providerId })).outcome,
      ),
    );
  expect(await outcomes()).toEqual(['read', 'read']);
  await plant('calendarBlocks', crowded(1, { clinicId: 'clinic-21', providerId: 'ada' }));
  expect(await outcomes()).toEqual(['read', 'too_many']);
  expect(await of.calendarBlocks({ ...range, clinicId: 'clinic-21', providerId: 'ada' })).toMatchObject({
    outcome: 'read',
    rows: [{ providerId: 'ada' }],
  });
});

test('a start adds missing views, and refuses another collection with its name', async () => {
  const { database, encryptionKeys } = testStore;
  const [busy, access] = [SCHEDULE_BUSY.name, OPERATOR_ACCESS.name];
  const views = [access, busy];
  const drop = async () => {
    for (const name of views) await database.collection(name).drop();
  };
  const names = async () =>
    (await database.listCollections({ name: { $in: views } }, { nameOnly: true }).toArray())
      .map(({ name }) => name)
      .toSorted();
  const { administration } = testStore.store.everyOrganization;
  expect(await names()).toEqual(hasViews ? views : []);
  expect(await administration.inspect().missingIndexes()).toEqual([]);
  if (hasViews) await drop();

  // For the store, this database appears to support views.
  const proxy = await startDatabaseProxy(testStore.url);
  const withoutMark = ({ ferretdb, ...response }: Document) => response;
  proxy.inject({ matches: (name) => name === 'buildInfo', fault: { kind: 'response', change: withoutMark } });
  const commands: Document[] = [];
  const onCommand = (_name: string, command: Document) => commands.push(command);
  const store = openWholeStore({ url: proxy.url, encryptionKeys, appName: 'test', onCommand });
  const door = openSchedule({ url: proxy.url, appName: 'test', onCommand });
  const read = () => door.organization('full').occupied(range, shown);
  const definition = {
    viewOn: 'appointments',
    pipeline: [
      { $match: { deletedAt: { $exists: false } } },
      {
        $project: {
          _id: 0,
          organizationId: 1,
          clinicId: 1,
          providerId: 1,
          startTime: 1,
          endTime: 1,
          status: 1,
        },
      },
    ],
  };

  const definitions: Record<string, Document> = {
    [busy]: definition,
    [access]: {
      viewOn: 'operators',
      pipeline: [{ $project: { organizationId: 1, role: 1, accessRevision: 1, disabledTime: 1 } }],
    },
  };

  const missing: unknown = await read().catch((thrown: unknown) => thrown);
  expect(missing).toBeInstanceOf(UnusableDatabaseError);
  expect((missing as Error).message).toContain('The view scheduleBusyV1 is missing');
  expect(await store.everyOrganization.administration.inspect().missingIndexes()).toEqual([busy, access]);

  await database.createCollection(busy);
  const refused: unknown = await store.prepare().catch((thrown: unknown) => thrown);
  expect(refused).toBeInstanceOf(UnusableDatabaseError);
  expect((refused as Error).message).toContain(
    'drop it with mongosh, db.scheduleBusyV1.drop(), and start again',
  );
  await expect(door.check()).rejects.toBeInstanceOf(UnusableDatabaseError);
  await database.collection(busy).drop();

  const { created } = await store.everyOrganization.administration.applyIndexes();
  expect(created).toEqual([busy, access]);
  for (const name of views)
    expect(commands.find(({ create }) => create === name)).toMatchObject(definitions[name] ?? {});
  proxy.inject({
    matches: (name) => name === 'listCollections',
    fault: {
      kind: 'response',
      change: (response) => ({
        ...response,
        cursor: {
          ...response.cursor,
          firstBatch: response.cursor.firstBatch.map(({ name }: Document) => ({
            name,
            type: 'view',
            options: definitions[name],
          })),
        },
      }),
    },
  });
  await store.prepare();
  await door.check();
  commands.length = 0;
  await read();
  const found = commands.filter((command) => 'find' in command && command.find !== 'calendarBlocks');
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({
    find: busy,
    projection: { _id: 0, startTime: 1, endTime: 1, status: 1 },
  });
  expect(found[0]?.filter).not.toHaveProperty('deletedAt');

  // The store of the dashboard reads the view, too.
  const keys = oauthStorageKeys(`a:${randomBytes(32).toString('base64')}`);
  const oauth = openOAuthStore({ url: proxy.url, appName: 'test', keys, auditRetentionDays: 1, onCommand });
  commands.length = 0;
  await oauth.grants.findOperator('none');
  expect(commands.flatMap(({ find }) => find ?? [])).toEqual([access]);

  await Promise.all([oauth.close(), store.close(), door.close(), proxy.close()]);
  await drop();
  await testStore.store.prepare();
  expect(await names()).toEqual(hasViews ? views : []);
});
