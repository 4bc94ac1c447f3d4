import { type Event, newId, packId } from '@chairside/domain';
import { Binary, type Document } from 'mongodb';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  createPractice,
  LONGEST_WAIT_MS,
  openTestStore,
  type Practice,
  type TestStore,
} from '../../test-support/src/index.ts';
import { withStoredBody } from '../src/events/event-document.ts';
import type { RecordReader } from '../src/records/record-lists.ts';
import { shapes, toSealed } from '../src/records/record-shapes.ts';
import { explain, mayReadAll } from './explain.ts';

const ROWS = 20_000;
const ORGANIZATIONS = 20;
const now = new Date();
const anHourAgo = new Date(now.getTime() - 3_600_000);
const inAnHour = new Date(now.getTime() + 3_600_000);
const from = anHourAgo.toISOString();
/** How long a delivery is kept. */
const LIFE_MS = 30 * 24 * 3_600_000;

let testStore: TestStore;
let practice: Practice;
/** The commands that the store has sent since the list was last emptied. */
let sent: { name: string; command: Document }[] = [];

/**
 * Waits until the PostgreSQL below FerretDB has analyzed the collections, which it does about once a minute. From then on,
 * it may read the documents of a collection in their order until it has found enough for a search with a limit.
 */
const analyzed = async (): Promise<void> => {
  for (const collection of ['deliveries', 'sessions']) {
    await vi.waitFor(
      async () => {
        const { expectedRows } = await explain(testStore.database, { find: collection, filter: {} });
        // The practice has a few more.
        expect(Math.abs(Number(expectedRows ?? ROWS) - ROWS)).toBeLessThan(10);
      },
      { timeout: 4 * LONGEST_WAIT_MS },
    );
  }
};

/**
 * Stores many rows of many organizations, few of which match. With fewer rows, reading all of them would be the best
 * plan.
 */
beforeAll(async () => {
  testStore = await openTestStore(undefined, (name, command) => sent.push({ name, command }));
  practice = await createPractice(testStore.store);
  const rows = (make: (index: number, organizationId: string) => { _id: string }) =>
    Array.from({ length: ROWS }, (_, index) => {
      const number = index % ORGANIZATIONS;
      return make(index, number === 0 ? practice.organizationId : `organization-${number}`);
    });
  const record = (index: number, organizationId: string) => ({
    _id: `record-${index}`,
    organizationId,
    clinicId: `clinic-${index % 200}`,
    revision: 1,
    lastEditTime: new Date(now.getTime() - index * 1000),
  });
  const unpublished = (index: number) => index % 2000 === 0 && { outboxAt: new Date(1), outbox: [] };
  const due: (() => Promise<unknown>)[] = [];
  /**
   * @param dueOf returns the fields that make a document due work, or false. They are stored after the analysis, because
   *   no work is due most of the time
   */
  const plant = async (
    collection: string,
    documents: { _id: string }[],
    dueOf: (index: number) => object | false = () => false,
  ) => {
    const target = testStore.database.collection<{ _id: string }>(collection);
    await target.insertMany(documents);
    const updates = documents.flatMap(({ _id }, index) => {
      const fields = dueOf(index);
      return fields ? [{ updateOne: { filter: { _id }, update: { $set: fields } } }] : [];
    });
    if (updates.length > 0) due.push(() => target.bulkWrite(updates));
  };
  const cipher = await testStore.store.ciphers.of(practice.organizationId);
  await plant(
    'patients',
    rows((index, organizationId) => ({
      ...record(index, organizationId),
      ...toSealed(
        shapes.patient,
        {
          ...{
            _id: `record-${index}`,
            email: `p${index}@example.com`,
            name: index === 20 ? 'Zanzibar' : 'Test',
          },
          ...(index === 20 && { phone: '555 0120' }),
        },
        cipher,
      ),
    })),
    unpublished,
  );
  await plant(
    'appointments',
    rows((index, organizationId) => ({
      ...record(index, organizationId),
      patientId: `record-${index % 4000}`,
      providerId: `provider-${index % 400}`,
      startTime: new Date(now.getTime() + (index - ROWS / 2) * 3_600_000),
      endTime: new Date(now.getTime() + (index - ROWS / 2 + 1) * 3_600_000),
      procedures: [],
      ...toSealed(shapes.appointment, { _id: `record-${index}`, reminders: [] }, cipher),
    })),
    unpublished,
  );
  for (const kind of ['invoice', 'payment', 'treatment'] as const) {
    await plant(
      `${kind}s`,
      rows((index, organizationId) => ({
        ...record(index, organizationId),
        patientId: `record-${index % 4000}`,
        creationTime: new Date(now.getTime() - index * 1000),
        ...(kind === 'treatment' && toSealed(shapes.treatment, { _id: `record-${index}` }, cipher)),
      })),
      unpublished,
    );
  }
  await plant(
    'clinics',
    rows((index, organizationId) => record(index, organizationId)),
    unpublished,
  );
  for (const kind of ['providers', 'procedures', 'calendarBlocks']) {
    await plant(
      kind,
      rows((index, organizationId) => ({
        _id: `setting-${index}`,
        organizationId,
        name: `name ${index}`,
        clinicId: `clinic-${index % 200}`,
        clinicIds: [`clinic-${index % 200}`],
        providerId: `provider-${index % 400}`,
        startTime: new Date(now.getTime() + (index - ROWS / 2) * 3_600_000),
        endTime: new Date(now.getTime() + (index - ROWS / 2 + 1) * 3_600_000),
      })),
    );
  }
  await plant(
    'mails',
    rows((index, organizationId) => ({
      _id: `mail-${index}`,
      organizationId,
      kind: 'invitation',
      operatorId: `operator-${index}`,
      state: 'sent',
      createdTime: new Date(now.getTime() - index * 1000),
    })),
    (index) =>
      index % 200 === 0 && {
        state: index % 400 === 0 ? 'queued' : 'sending',
        doubts: 0,
        dueTime: new Date(now.getTime() - index),
        deadline: new Date(now.getTime() + 3_600_000),
        ...(index % 400 !== 0 && { token: 'token', claimedAt: now }),
      },
  );
  await plant(
    'subscriptions',
    rows((index, organizationId) => ({
      _id: `subscription-${index}`,
      organizationId,
      clinicId: `clinic-${index}`,
      slot: 0,
      host: `receiver-${index}.example`,
      events: [],
      active: true,
      createdTime: now,
      lastEditTime: now,
    })),
    (index) =>
      index % 1000 === 0 && {
        active: false,
        // For half of these subscriptions, a mail about the disabling is due.
        ...(index % 2000 === 0 && {
          noticeAt: new Date(now.getTime() - 60_000),
          untoldDisabling: {
            since: new Date(now.getTime() - 60_000),
            time: new Date(now.getTime() - 60_000),
          },
        }),
      },
  );
  await plant(
    'deliveries',
    rows((index, organizationId) => ({
      _id: `event-${index}-delivery`,
      organizationId,
      subscriptionId: `subscription-${index % 1000}`,
      eventId: `event-${index}`,
      requestId: `request-${index}`,
      kind: 'event',
      createdTime: new Date(now.getTime() - index),
      status: 'succeeded',
      attemptTime: new Date(now.getTime() - index),
      ...(index % 200 === 5 && { finalTime: new Date(from), expireAt: new Date(Date.parse(from) + LIFE_MS) }),
    })),
    (index) =>
      (index % 100 === 0 && { status: 'queued' }) ||
      (index % 1000 === 1 && { status: 'sending', claimedAt: new Date(0), token: 't' }) ||
      (index % 2000 === 5 && { reopened: [new Date(from)] }),
  );
  await plant(
    'events',
    rows((index, organizationId) => ({
      ...withStoredBody({ _id: `event-${index}`, body: '{}' }, cipher),
      organizationId,
      event: 'patient.created',
      about: [`patient-${index % 4000}`],
      clinicIds: [`clinic-${index % 200}`],
      insertedAt: new Date(now.getTime() - (index + 60) * 1000),
      retainUntil: inAnHour,
    })),
    // Each event has a delivery.
    (index) => index % 1000 === 0 && { retainUntil: anHourAgo },
  );
  await plant(
    'deliveryHours',
    rows((index, organizationId) => ({
      _id: `${new Date(now.getTime() - index * 60_000).toISOString()}-subscription-${index % 1000}`,
      organizationId,
      clinicId: `clinic-${index % 200}`,
      subscriptionId: `subscription-${index % 1000}`,
      ...{ succeeded: 1, failed: 0, skipped: 0, interrupted: 0, causes: {}, durations: [], revision: 0 },
    })),
  );
  await plant(
    'redeliveries',
    rows((index, organizationId) => ({
      _id: `redelivery-${index}`,
      organizationId,
      subscriptionId: `subscription-${index}`,
      state: 'done',
      since: new Date(0),
      until: now,
      outcomes: ['failed'],
      createdTime: now,
      steps: 0,
    })),
    (index) => index % 1000 === 1 && { state: 'running', ...(index % 2000 === 1 && { unrepaired: true }) },
  );
  await plant(
    'lanes',
    rows((index) => ({
      _id: `lane-${index}`,
      organizationId: practice.organizationId,
      subscriptionId: `subscription-${index}`,
      worker: `worker-${index % 500}`,
      aliveUntil: inAnHour,
    })),
    (index) => index % 1000 === 0 && { aliveUntil: anHourAgo },
  );
  await plant(
    'laneRequests',
    rows((index) => ({
      _id: `delivery-${index}`,
      organizationId: practice.organizationId,
      subscriptionId: `subscription-${index}`,
      dueTime: inAnHour,
    })),
    (index) => index % 1000 === 0 && { dueTime: anHourAgo },
  );
  await plant(
    'apiKeys',
    rows((index, organizationId) => ({
      _id: `key-${index}`,
      organizationId,
      secretHash: `h${index}`,
      createdTime: now,
      lastEditTime: now,
    })),
  );
  await plant(
    'auditEntries',
    rows((index, organizationId) => ({
      _id: `entry-${index}`,
      organizationId,
      time: new Date(now.getTime() - index * 1000),
      action: 'read',
      principal: { kind: 'apiKey', id: `key-${index % 100}` },
      kind: 'patient',
      ids: [`record-${index}`],
      result: 'ok',
      requestId: `request-${index}`,
    })),
  );
  await plant(
    'auditedSets',
    rows((index, organizationId) => ({
      _id: `${organizationId}-${index}`,
      organizationId,
      ids: Array.from({ length: 3 }, () => new Binary(packId(newId()) ?? new Uint8Array())),
      expireAt: inAnHour,
    })),
  );
  await plant(
    'connections',
    rows((index, organizationId) => ({
      _id: `connection-${index}`,
      organizationId,
      createdTime: now,
      expireAt: inAnHour,
    })),
  );
  await plant(
    'programTokens',
    rows((index, organizationId) => ({
      _id: `token-${index}`,
      organizationId,
      operatorId: `operator-${index}`,
      accessRevision: 0,
      tokenHash: `h${index}`,
      expiryTime: inAnHour,
    })),
    (index) => index % 2000 === 0 && { expiryTime: anHourAgo },
  );
  await plant(
    'sessions',
    rows((index, organizationId) => ({
      _id: `session-${index}`,
      organizationId,
      tokenHash: `h${index}`,
      expireAt: inAnHour,
    })),
  );
  await analyzed();
  for (const store of due) await store();
});
afterAll(() => testStore.close());

/** The filter of a command, and the command in a form that can be explained. */
type Search = { collection: string; filter: Document; command: Document };

const asFind = (collection: string, filter: Document): Search => ({
  collection,
  filter,
  command: { find: collection, filter },
});

/** The sent commands that have a filter, in a form that can be explained. */
const searches = (): Search[] =>
  sent.flatMap(({ name, command }): Search[] => {
    const collection = command[name];
    if (name === 'find') return [{ collection, filter: command.filter, command }];
    if (name === 'aggregate') return [{ collection, filter: command.pipeline[0].$match, command }];
    if (name === 'update') return command.updates.map(({ q }: Document) => asFind(collection, q));
    if (name === 'delete') return command.deletes.map(({ q }: Document) => asFind(collection, q));
    if (name === 'findAndModify') return [asFind(collection, command.query)];
    return [];
  });

/**
 * Returns the conditions that must all be met. MongoDB derives the bounds of an index scan from these, and not from an
 * `$or`.
 */
const conjuncts = (filter: Document): Document[] => [
  filter,
  ...(filter.$and ?? []).flatMap((each: Document) => conjuncts(each)),
];

/**
 * Whether a condition only requires that a field exists. For such a condition, MongoDB reads a whole index unless the
 * index is sparse.
 */
const isUnbounded = (condition: unknown): boolean => JSON.stringify(condition) === '{"$exists":true}';

const drain = async (rows: AsyncIterable<unknown>): Promise<void> => {
  for await (const _row of rows);
};

/** A search without its values, so that equal searches are explained only once. */
const shapeOf = ({ collection, filter }: Search): string =>
  `${collection} ${JSON.stringify(filter, (_key, value) => (typeof value === 'object' ? value : ''))}`;

const expectIndexScans = async (work: () => Promise<unknown>): Promise<void> => {
  sent = [];
  await work();
  // These collections contain at most two documents each, so no index is needed; of `stops`, every document is read.
  const explained = searches().filter(
    ({ collection }) => !['hourProgress', 'leases', 'settings', 'stops'].includes(collection),
  );
  expect(explained.length).toBeGreaterThan(0);
  const byShape = new Map(explained.map((search) => [shapeOf(search), search]));
  for (const search of byShape.values()) {
    const { indexes, scansAll, plan } = await explain(testStore.database, search.command);
    const about = JSON.stringify({ search, plan });
    expect(scansAll, about).toBe(false);
    expect(mayReadAll(search.command), about).toBe(false);
    const conditions = conjuncts(search.filter);
    if (conditions.some((each) => '_id' in each)) continue;
    // The index on `_id` does not limit a search without an id.
    expect(indexes.filter((name) => name !== '_id_').length, about).toBeGreaterThan(0);
    expect(conditions.flatMap(Object.values).filter(isUnbounded), about).toEqual([]);
  }
};

/** Expects that each search reads index entries only and no document. */
const expectCovered = async (covered: readonly Search[]): Promise<void> => {
  for (const { collection, filter, command } of covered) {
    const { indexes, readsDocuments, plan } = await explain(testStore.database, command);
    const about = JSON.stringify({ command, plan });
    const present = await testStore.database.collection(collection).indexes();
    const used = present.find(({ name }) => indexes.includes(String(name)));
    const fields = Object.keys({ ...filter, ...command.projection });
    expect(Object.keys(used?.key ?? {}), about).toEqual(expect.arrayContaining(fields));
    expect(readsDocuments, about).toBe(false);
  }
};

const to = inAnHour.toISOString();
const updatedSince = new Date(now.getTime() - 500_000).toISOString();
const filters = {
  patients: [
    {},
    { clinicId: 'clinic-20' },
    { email: 'P20@example.com' },
    { ids: ['record-20', 'record-40'] },
    { clinicId: 'clinic-20', email: 'p20@example.com', ids: ['record-20'] },
    { updatedSince },
    { clinicId: 'clinic-20', updatedSince },
  ],
  appointments: [
    {},
    { clinicId: 'clinic-20' },
    { patientId: 'record-20' },
    { from, to },
    { from },
    { to },
    { clinicId: 'clinic-20', from, to },
    { clinicId: 'clinic-20', patientId: 'record-20', from, to },
    { providerId: 'provider-20' },
    { providerId: 'provider-20', from, to },
    { status: ['SCHEDULED'] },
    { clinicId: 'clinic-20', status: ['SCHEDULED'] },
  ],
  clinics: [{}, { updatedSince }],
  invoices: [
    {},
    { clinicId: 'clinic-20' },
    { patientId: 'record-20' },
    { updatedSince },
    { status: ['OPEN'] },
    { patientId: 'record-20', status: ['OPEN'] },
  ],
  payments: [{}, { clinicId: 'clinic-20' }, { patientId: 'record-20' }, { updatedSince }],
  treatments: [
    {},
    { updatedSince },
    { clinicId: 'clinic-20' },
    { patientId: 'record-20' },
    { clinicId: 'clinic-20', updatedSince },
  ],
  providers: [{}, { clinicId: 'clinic-20' }],
  procedures: [{}, { clinicId: 'clinic-20' }],
  calendarBlocks: [
    {},
    { clinicId: 'clinic-20' },
    { providerId: 'provider-20' },
    { from, to },
    { clinicId: 'clinic-20', from, to },
    { clinicId: 'clinic-20', providerId: 'provider-20', from, to },
  ],
} as const;

const lists = Object.entries(filters).flatMap(([kind, list]) =>
  list.map((filter) => [kind as keyof typeof filters, filter] as const),
);

test.each(lists)('the list of %s by %j uses an index', (kind, filter) =>
  expectIndexScans(() => drain(practice.store[kind].list(filter))),
);

test.each(lists)('a later page of %s by %j begins at its position', (kind, filter) =>
  expectIndexScans(async () => {
    const reader: Pick<RecordReader<{ _id: string }, object>, 'page'> = practice.store[kind];
    const [row] = await Array.fromAsync(reader.page(filter, { limit: 1 }).rows);
    const position = row?.position ?? { key: from, id: 'record-0' };
    await drain(reader.page(filter, { limit: 10, after: position }).rows);
    const { filter: conditions = {}, command } = searches().at(-1) ?? {};
    const [order] = command?.sort.keys() ?? [];
    const bounds = conjuncts(conditions).flatMap((each) => Object.keys(each[order] ?? {}));
    expect(bounds).toContain(order === '_id' ? '$gt' : '$gte');
  }),
);

/** The lists, as a credential for some clinics reads them: each of these clinics counts as a `clinicId`. */
const unbound = lists.filter(([, filter]) => !('clinicId' in filter));
/** The indexes of the searches in the collection of this kind. */
const indexesUsed = async (kind: keyof typeof filters, work: () => Promise<unknown>): Promise<unknown[]> => {
  sent = [];
  await work();
  const commands = searches().filter(({ collection }) => collection === kind);
  return Promise.all(
    commands.map(async ({ command }) => [...new Set((await explain(testStore.database, command)).indexes)]),
  );
};

test.each(unbound)(
  'the list of %s by %j in one clinic uses the indexes of the same list with `clinicId`',
  async (kind, filter) => {
    const { organizationId, store } = practice;
    const bound = testStore.store.organization(organizationId, ['clinic-20']);
    const read = (from: typeof store, given: object) => () => drain(from[kind].list(given));
    const used = await indexesUsed(kind, read(bound, filter));
    expect(used.length).toBeGreaterThan(0);
    expect(used).toEqual(
      await indexesUsed(
        kind,
        read(
          store,
          kind === 'clinics' ? { ...filter, ids: ['clinic-20'] } : { ...filter, clinicId: 'clinic-20' },
        ),
      ),
    );
    const some = testStore.store.organization(organizationId, ['clinic-20', 'clinic-40', 'clinic-60']);
    await expectIndexScans(read(some, filter));
  },
);

test('records are found by their external ids with an index', () =>
  expectIndexScans(async () => {
    const { patients, appointments, clinics, invoices, payments, treatments } = practice.store;
    for (const records of [patients, appointments, clinics, invoices, payments, treatments])
      expect(await records.findByExternalId('none')).toBeUndefined();
  }));

test('patients are found by their e-mail address with the index of its token', async () => {
  sent = [];
  const found = await Array.fromAsync(practice.store.patients.list({ email: 'P20@Example.com' }));
  expect(found).toMatchObject([{ _id: 'record-20', email: 'p20@example.com' }]);
  const [search] = searches().filter(({ collection }) => collection === 'patients');
  expect(Object.keys(search?.filter ?? {})).toContain('emailToken');
  const { indexes } = await explain(testStore.database, search?.command ?? {});
  expect(new Set(indexes)).toEqual(new Set(['email_token']));
});

test('patients are found by name and telephone number with the index of their tokens', async () => {
  for (const query of [{ name: 'Zanzibar' }, { phone: '5550120' }, { name: 'Zanzibar', phone: '5550120' }]) {
    sent = [];
    const { rows } = practice.store.patients.page(query, { limit: 10 });
    expect(await Array.fromAsync(rows)).toMatchObject([{ record: { _id: 'record-20' } }]);
    const commands = searches().filter(({ collection }) => collection === 'patients');
    // The first one finds ids, the second one reads their documents.
    const used = await Promise.all(
      commands.map(async ({ command }) => (await explain(testStore.database, command)).indexes),
    );
    expect(used.map((indexes) => [...new Set(indexes)])).toEqual([['search_tokens'], ['_id_']]);
  }
});

test('the log, subscriptions, keys and sessions use indexes', () =>
  expectIndexScans(async () => {
    const { findApiKey, sessions, programTokens, receivers, events } = testStore.store.everyOrganization;
    await practice.store.subscriptions.list();
    await practice.store.subscriptions.list(['clinic-20', 'clinic-40']);
    const { hasHost } = practice.store.subscriptions;
    expect([await hasHost('receiver-20.example'), await hasHost('receiver-21.example')]).toEqual([
      true,
      false,
    ]);
    // This search reads only the subscriptions with the host.
    const ofHost = searches().filter(({ filter }) => 'host' in filter);
    for (const { command } of ofHost)
      expect(new Set((await explain(testStore.database, command)).indexes)).toEqual(new Set(['host']));
    expect(ofHost).toHaveLength(2);
    await practice.store.subscriptions.find('subscription-20');
    await findApiKey('secret', now);
    await sessions.findOperator('token', now);
    await programTokens.find('token', now, 'network');
    await receivers.inClinics([{ organizationId: practice.organizationId, clinicId: 'clinic-20' }]);
    await receivers.find(['subscription-none']);
    await events.bodies([{ _id: 'event-20', organizationId: practice.organizationId }]);
  }));

test('audit entries by every filter use an index', () =>
  expectIndexScans(async () => {
    const { audit } = practice.store;
    const range = { since: new Date(from), until: new Date(to) };
    const [first] = await Array.fromAsync(audit.page({}, {}, 10));
    const before = { time: new Date(first?.time ?? 0), _id: first?._id ?? '' };
    await Array.fromAsync(audit.page(range, { before }, 10));
    await Array.fromAsync(audit.page({ principalId: 'key-20' }, {}, 10));
    expect(await Array.fromAsync(audit.page({ recordId: 'record-20' }, {}, 10))).toHaveLength(1);
    await Array.fromAsync(
      audit.page(
        { recordId: 'record-20', kind: ['patient'], action: ['read', 'listed'], ...range },
        { before },
        10,
      ),
    );
    expect(await Array.fromAsync(audit.page({ requestId: 'request-20' }, {}, 10))).toHaveLength(1);
    expect(await audit.eventIds('request-20', 10)).toEqual([]);
    const ids = Array.from({ length: 300 }, () => newId());
    await audit.add({
      action: 'listed',
      kind: 'patient',
      ids,
      principal: { kind: 'apiKey', id: 'key-0' },
      requestId: newId(),
      result: 'ok',
    });
    const found = await Array.fromAsync(
      audit.page({ recordId: ids[7] }, { before: { time: new Date(to), _id: 'Z' } }, 10),
    );
    expect(found.map((entry) => entry.ids)).toEqual([ids.toSorted()]);
    await Array.fromAsync(audit.page({ kind: ['patient'], action: ['read', 'listed'] }, {}, 10));
    await Array.fromAsync(audit.page({ kind: ['operator', 'apiKey'], action: ['created'] }, { before }, 10));
    for (const filter of [
      { action: ['read'] },
      { recordId: 'record-20', principalId: 'key-20' },
      { principalId: 'key-20', kind: ['patient'] },
      { kind: ['operator'] },
    ] as const)
      await audit.examinedTo(filter, before);
    // With an index in the order of the page, MongoDB reads only the entries of the page.
    const present = await testStore.database.collection('auditEntries').indexes();
    for (const field of ['ids', 'principal.id']) {
      const page = searches().find(({ filter }) => field in filter);
      const order = [...(page?.command.sort.keys() ?? [])];
      const index = present.find(({ key }) => field in key);
      expect(Object.keys(index?.key ?? {})).toEqual(['organizationId', field, ...order]);
    }
  }));

test('the sweep uses indexes: unpublished events, dead lanes, interrupted deliveries', () =>
  expectIndexScans(async () => {
    const { outbox, lanes, laneRequests, deliveries } = testStore.store.everyOrganization;
    expect(await outbox.overdue(now, 200)).toHaveLength(40);
    const except = { records: ['record-0'], organizations: ['organization-1'] };
    expect(await outbox.overdue(now, 200, except)).toHaveLength(36);
    await expectCovered(searches());
    const dead = await lanes.dead(new Date(), 500);
    expect(dead).toHaveLength(20);
    await lanes.remove(dead);
    const requests = await laneRequests.due(new Date(), 500);
    expect(requests).toHaveLength(20);
    await laneRequests.remove(requests);
    expect(await deliveries.interrupt(new Date(1), now)).toBe(20);
  }));

test('the pages of the event log and of the deliveries use indexes', () =>
  expectIndexScans(async () => {
    const { events, deliveries } = practice.store;
    const filter = { events: ['patient.created'] as const, until: await events.end() };
    const first = await Array.fromAsync(events.page(filter, { limit: 100 }));
    expect(first).toHaveLength(100);
    const hundredth = first[99];
    const after = { time: hundredth?.insertedAt ?? new Date(0), _id: hundredth?._id ?? '' };
    expect(await Array.fromAsync(events.page(filter, { after, limit: 1000 }))).toHaveLength(900);
    await Array.fromAsync(
      events.page({ ...filter, clinicId: 'clinic-20', since: new Date(from) }, { limit: 100 }),
    );
    const newest = await Array.fromAsync(events.page(filter, { after, limit: 5, order: 'desc' }));
    expect(newest).toHaveLength(5);
    await Array.fromAsync(events.page({ ...filter, recordId: 'record-20' }, { limit: 100 }));
    const ofPatient = { ...filter, patientId: 'patient-20' };
    const [oldest, ...others] = await Array.fromAsync(events.page(ofPatient, { limit: 100 }));
    const behind = { time: oldest?.insertedAt ?? now, _id: oldest?._id ?? '' };
    expect(others).toHaveLength(4);
    expect(await Array.fromAsync(events.page(ofPatient, { after: behind, limit: 100 }))).toEqual(others);
    await events.find('event-20');
    await events.has('event-20');
    const subscriptionId = 'subscription-100';
    const page = await Array.fromAsync(deliveries.page({ subscriptionId }, {}, 10));
    expect(page).toHaveLength(10);
    const last = page[9];
    const before = { time: new Date(last?.createdTime ?? 0), _id: last?._id ?? '' };
    expect(await Array.fromAsync(deliveries.page({ subscriptionId }, { before }, 100))).toHaveLength(10);
    const range = { since: new Date(from), until: new Date(to) };
    await Array.fromAsync(deliveries.page({ subscriptionId, outcome: 'failed', ...range }, {}, 10));
    await deliveries.find('event-20-delivery');
    await deliveries.findRedelivery('subscription-20', 'redelivery-20');
    await Array.fromAsync(deliveries.redeliveries('subscription-20', before, 10));
  }));

test('the pages of all deliveries begin at their position, and read an index in the order of the list', () =>
  expectIndexScans(async () => {
    const { deliveries } = practice.store;
    const range = { since: new Date(from), until: new Date(to) };
    const page = await Array.fromAsync(deliveries.page(range, {}, 10));
    expect(page).toHaveLength(10);
    const last = page[9];
    const before = { time: new Date(last?.createdTime ?? 0), _id: last?._id ?? '' };
    const all = await Array.fromAsync(deliveries.page(range, { before }, 2000));
    expect(all).toHaveLength(990);
    // The limit on the examined deliveries is part of the search.
    const hundredth = all[99];
    const downTo = { time: new Date(hundredth?.createdTime ?? 0), _id: hundredth?._id ?? '' };
    expect(await Array.fromAsync(deliveries.page(range, { before, downTo }, 2000))).toHaveLength(100);
    const failed = { ...range, outcome: 'failed', clinicId: 'clinic-20', statusClass: 5 } as const;
    await Array.fromAsync(deliveries.page(failed, { before, downTo }, 10));
    await deliveries.examinedTo(failed, before);
    await deliveries.examinedTo({ ...range, requestId: 'request-20' }, before);
    await deliveries.examinedTo({ ...failed, subscriptionId: 'subscription-100' }, before);
    const filter = { eventIds: ['event-20', 'event-40'], ...range };
    expect(await Array.fromAsync(deliveries.page(filter, {}, 10))).toHaveLength(2);
    const present = await testStore.database.collection('deliveries').indexes();
    const keys = present.map(({ key }) => Object.keys(key).join());
    for (const { filter, command } of searches()) {
      const order = [...command.sort.keys()];
      const equal = ['organizationId', ...('subscriptionId' in filter ? ['subscriptionId'] : [])];
      // An event has few deliveries, so sorting them is cheap.
      if (!('eventId' in filter)) expect(keys).toContain([...equal, ...order].join());
      expect(Object.keys(filter.createdTime)).toEqual(['$gte', '$lte']);
    }
    // The search for this limit reads index entries only.
    const bounds = searches().filter(({ command }) => 'skip' in command);
    expect(bounds).toHaveLength(3);
    // `expectCovered` reads the names of fields from the top level only. Those in `$or` are in the index: `createdTime`
    // and `_id`.
    await expectCovered(bounds.map(({ filter: { $or, ...filter }, ...rest }) => ({ ...rest, filter })));
  }));

test('the lists of a caller of some clinics use indexes', () =>
  expectIndexScans(async () => {
    const some = testStore.store.organization(practice.organizationId, ['clinic-20', 'clinic-40']);
    const { events, deliveries, statistics } = some;
    const kinds = [some.patients, some.appointments, some.invoices, some.payments, some.treatments] as const;
    for (const records of kinds as readonly RecordReader<object, object>[]) {
      await drain(records.list({}));
      await drain(records.page({}, { limit: 10 }).rows);
    }
    await drain(some.clinics.list({}));
    await drain(some.providers.list({}));
    await drain(some.procedures.list({}));
    const logged = { events: ['patient.created'] as const, until: await events.end() };
    await events.examinedTo(logged, {});
    await Array.fromAsync(events.page(logged, { limit: 100 }));
    const range = { since: new Date(from), until: new Date(to) };
    await deliveries.examinedTo(range, undefined);
    await Array.fromAsync(deliveries.page(range, {}, 10));
    await Array.fromAsync(statistics.page(range, undefined, 10));
  }));

test('the lists for operators of the service use indexes', () =>
  expectIndexScans(async () => {
    const { overview } = testStore.store.everyOrganization.administration;
    const { organizationId } = practice;
    await drain(overview.organizations());
    for (const filter of [{}, { organizationId }]) {
      for (const rows of [overview.clinics(filter), overview.operators(filter), overview.apiKeys(filter)])
        await drain(rows);
    }
    expect(await Array.fromAsync(overview.subscriptions({ organizationId }))).toHaveLength(1000);
    await drain(overview.subscriptions({ active: false }));
    await drain(overview.subscriptions({ organizationId, clinicId: 'clinic-20' }));
    await overview.findSubscription('subscription-20');
    await overview.findDelivery('event-20-delivery');
    const ids = Array.from({ length: 50 }, (_, index) => `subscription-${index * 20}`);
    const found = await Array.fromAsync(overview.deliveries(organizationId, ids, {}));
    expect(found).toHaveLength(1000);
    const range = { since: new Date(from), until: new Date(to) };
    await drain(overview.deliveries(organizationId, ids, { outcome: 'failed', ...range }));
    const pages = searches().filter(
      ({ collection, filter }) => collection === 'deliveries' && '$or' in filter,
    );
    // A later page begins at its position.
    expect(pages.length).toBeGreaterThan(0);
    for (const { filter } of pages) expect(Object.keys(filter.createdTime)).toContain('$lte');
  }));

test('the sweep uses indexes: expired events, redeliveries', () =>
  expectIndexScans(async () => {
    const { events, redeliveries } = testStore.store.everyOrganization;
    await testStore.database
      .collection('deliveries')
      .deleteMany({ _id: { $in: [0, 2000, 4000].map((index) => `event-${index}-delivery`) } });
    expect(await events.expire(now, 500)).toBe(3);
    expect(await events.expire(now, 500)).toBe(0);
    // A bulk redelivery looks up whether these were repeated with success.
    const ofOne = { subscriptionId: 'subscription-1', kind: 'event' };
    await testStore.database.collection('deliveries').updateMany(ofOne, { $set: { status: 'failed' } });
    const running = await redeliveries.running(20);
    expect(running).toHaveLength(20);
    for (const redelivery of running) await redeliveries.advance(redelivery, now);
    expect(await redeliveries.running(20)).toHaveLength(0);
    expect(searches().filter(({ filter }) => filter.kind === 'redelivery')).toHaveLength(1);
    // The next tests count what is queued.
    const { deletedCount } = await testStore.database
      .collection('deliveries')
      .deleteMany({ organizationId: 'organization-1', kind: 'redelivery' });
    expect(deletedCount).toBe(20);
  }));

test('the queries of the metrics use indexes', () =>
  expectIndexScans(async () => {
    expect(await testStore.store.everyOrganization.backlog.measure()).toEqual({
      // An earlier test has deleted three of the 200 queued deliveries.
      queued: 197,
      oldestUnsentMs: expect.any(Number),
      oldestUnpublishedMs: expect.any(Number),
      disabledSubscriptions: 20,
      slowedSubscriptions: 0,
      queuedMails: 100,
      oldestMailMs: expect.any(Number),
    });
    // A scrape of the metrics may count a hundred thousand documents.
    const counts = searches().filter(({ command }) => 'aggregate' in command);
    expect(counts).toHaveLength(4);
    await expectCovered(counts);
  }));

test('the subscriptions with most queued deliveries are found by an index', () =>
  expectIndexScans(async () => {
    const [most] = await testStore.store.everyOrganization.administration.mostWaiting(1);
    expect(most?.waiting).toBeGreaterThan(0);
  }));

test('the statistics use indexes to close hours, to compute them again, and to read them', () =>
  expectIndexScans(async () => {
    const { deliveryHours } = testStore.store.everyOrganization;
    expect(await deliveryHours.closeNext(new Date(to), now)).toBe(true);
    // 199 more steps would close the hour.
    const closedTo = new Date(Math.floor(now.getTime() / 3_600_000) * 3_600_000);
    await testStore.database.collection('hourProgress').updateOne({}, { $set: { closedTo } });
    expect(await deliveryHours.recompute(new Date(to), 200)).toBe(1);
    const period = { since: new Date(now.getTime() - LIFE_MS), until: new Date(to) };
    for (const filter of [{}, { clinicId: 'clinic-20' }, { subscriptionId: 'subscription-100' }]) {
      const page = await Array.fromAsync(
        practice.store.statistics.page({ ...filter, ...period }, undefined, 5),
      );
      expect(page).toHaveLength(5);
      await Array.fromAsync(practice.store.statistics.page({ ...filter, ...period }, page[4]?._id, 2000));
    }
    const pages = searches().filter(({ command }) => command.find === 'deliveryHours' && 'sort' in command);
    // Each page, including the second one, begins at its position in an index with the same order as the list.
    const present = await testStore.database.collection('deliveryHours').indexes();
    const keys = present.map(({ key }) => Object.keys(key).join());
    for (const { filter } of pages) {
      const equal = ['organizationId', 'clinicId', 'subscriptionId'].filter((each) => each in filter);
      expect(keys).toContain([...equal, '_id'].join());
    }
  }));

test('the queries of mails use indexes', () =>
  expectIndexScans(async () => {
    const { mailQueue } = testStore.store.everyOrganization;
    const due = await mailQueue.due();
    expect(due).toHaveLength(50);
    await mailQueue.recover(60_000);
    await mailQueue.expire();
    await practice.store.mails.withdraw('operator-200', ['invitation'], now);
    expect((await practice.store.mails.states(due.map(({ _id }) => _id))).size).toBe(50);
  }));

test('the queries of notices use indexes', () =>
  expectIndexScans(async () => {
    const { notices } = testStore.store.everyOrganization;
    expect(await notices.due([])).toContain(practice.organizationId);
    expect(await notices.tell(practice.organizationId)).toEqual({ subscriptionDisabled: ROWS / 2000 });
    await drain(practice.store.mails.notices({ time: now, _id: 'a' }, 10));
  }));

test('the queries of the service status use indexes', () =>
  expectIndexScans(async () => {
    const { outages } = testStore.store.everyOrganization;
    expect(await practice.store.serviceStatus.read()).toMatchObject({ eventsWaiting: 40, complete: true });
    // The search for unpublished records reads index entries only.
    const records = searches().filter(({ filter }) => 'outboxAt' in filter);
    expect(records).toHaveLength(4);
    await expectCovered(records);
    await outages.declare('worker');
    expect(await outages.current()).toBeInstanceOf(Date);
    await outages.withdraw('worker');
    expect(await outages.current()).toBeUndefined();
  }));

test('the queries of a lane use indexes: read a page, claim, skip, hand over', () =>
  expectIndexScans(async () => {
    const { lanes, laneRequests, deliveries } = testStore.store.everyOrganization;
    expect(await deliveries.requested('subscription-100', 200)).toEqual([]);
    await deliveries.lastSuccess('subscription-100');
    const page = await deliveries.queued('subscription-100', 200);
    expect(page).toHaveLength(20);
    expect(await deliveries.claim(page.slice(0, 10), 'token', 'worker')).toHaveLength(10);
    expect(await deliveries.skipQueued('subscription-100', 'subscription_disabled', now)).toBe(10);
    const refTo = (index: number) => ({
      _id: `event-${index}-delivery`,
      organizationId: practice.organizationId,
      subscriptionId: `subscription-${index % 1000}`,
    });
    await deliveries.release(await deliveries.claim([refTo(200)], 'other', 'worker'));
    const [claimed] = await deliveries.claim([refTo(300)], 'third', 'worker');
    if (claimed === undefined) throw new Error('not claimed');
    const attempt = { attemptTime: now, duration: 1, timings: {}, outcome: 'succeeded' as const };
    await deliveries.finish([{ delivery: claimed, outcome: attempt }], now);
    const event: Event = {
      _id: 'e',
      organizationId: practice.organizationId,
      kind: 'patient',
      recordId: 'record-20',
      event: 'patient.deleted',
      clinicIds: [],
      time: now,
      body: '{}',
      principal: { kind: 'apiKey', id: 'key' },
      requestId: 'request',
    };
    await testStore.store.everyOrganization.outbox.takeOut([event]);
    const { receivers } = testStore.store.everyOrganization;
    await receivers.subtractFailures({ subscriptionId: 'subscription-20', activation: 1, failures: 2 });
    await deliveries.requeueSkipped('subscription-20', now);
    const lane = { subscriptionId: 'subscription-100', organizationId: practice.organizationId };
    await laneRequests.announce(lane, 'delivery-200');
    await laneRequests.request(lane, 'delivery-200');
    await lanes.handOver('worker-1');
    await lanes.close('worker-2', ['subscription-2']);
  }));

test('creations that look for a free slot, and sign-ins, use indexes', () =>
  expectIndexScans(async () => {
    const { subscriptions, apiKeys, operators } = practice.store;
    const email = 'index-scans@example.com';
    const password = 'long enough a password';
    await subscriptions.create(
      { clinicId: 'clinic-none', url: 'https://example.com', events: [], active: true },
      now,
    );
    await apiKeys.create({ name: 'x', scopes: [], rateLimit: 1 }, now);
    await operators.create({ email, password, role: 'staff' }, now);
    await testStore.store.everyOrganization.sessions.signIn(email, password, now);
  }));

test('deletions by id use an index', () =>
  expectIndexScans(async () => {
    const { subscriptions, apiKeys, connections, idempotency, operators } = practice.store;
    await subscriptions.delete('subscription-40');
    await apiKeys.delete('none');
    const { sessions } = testStore.store.everyOrganization;
    await sessions.end('none', practice.organizationId);
    const { organizationId } = practice;
    const principal = {
      kind: 'operator',
      id: 'operator-20',
      organizationId,
      role: 'staff',
      sessionId: 'none',
      confirmedTime: new Date(),
      passwordChangeRequired: false,
      factorRequired: false,
    } as const;
    await Array.fromAsync(sessions.page(principal, new Date(), { after: 'a', limit: 10 }));
    await sessions.endOwn(principal, 'none');
    await Array.fromAsync(connections.page(new Date(), { after: 'a', limit: 10 }));
    await connections.delete('connection-none', new Date());
    await idempotency.release({ principal: 'apiKey:none', route: '/api/patients', key: 'none' }, now);
    await operators.remove('none');
  }));

test('lists, ends and the sweep of program tokens use indexes', () =>
  expectIndexScans(async () => {
    const { programTokens } = practice.store;
    await programTokens.end('none', now);
    await programTokens.endOf('none');
    await testStore.store.everyOrganization.programTokens.deleteExpired(now, 5);
    await testStore.database.collection('programTokens').deleteMany({ createdTime: { $exists: false } });
    await programTokens.list(now);
    const from = { network: 'n', address: 'a', requestId: 'r' };
    const token = { id: 'none', organizationId: practice.organizationId };
    await testStore.store.everyOrganization.programTokens.addNetwork(token, from);
  }));

test('erasing a patient finds events by an index, never by their content alone', () =>
  expectIndexScans(async () => {
    const { administration } = testStore.store.everyOrganization;
    const run = { id: 'run', organizationId: practice.organizationId, by: 'test' };
    await administration.erasePatient(run, 'record-20', { keepBilling: true, isTrial: true });
    const filters = searches().flatMap(({ filter, command }) => (command.find === 'events' ? [filter] : []));
    expect(filters).toEqual([
      { organizationId: practice.organizationId, about: { $in: expect.arrayContaining(['record-20']) } },
    ]);
  }));
