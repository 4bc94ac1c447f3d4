import { clock, newEvent, newId, type Patient } from '@chairside/domain';
import { Binary } from 'mongodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  asEarlierVersion,
  createPractice,
  openTestStore,
  type Practice,
  type TestStore,
} from '../../test-support/src/index.ts';
import type { ConversionOptions } from '../src/administration/encryption-conversion.ts';
import { type EncryptionStage, encryptionStages } from '../src/encryption/encryption-stage.ts';
import { checkForm, type FormDocument } from '../src/preparation/database-form.ts';
import { EarlierVersionRunsError, openRegistration } from '../src/preparation/running-processes.ts';
import { collectionsOf } from '../src/stores/collections.ts';
import { openStore, type Store } from '../src/stores/store.ts';

let testStore: TestStore;
/** A store whose process has read that the database is not encrypted. */
let store: Store;
let practice: Practice;
beforeEach(async () => {
  testStore = await openTestStore();
  await asEarlierVersion(testStore);
  const { url, encryptionKeys } = testStore;
  store = openStore({ url, encryptionKeys, appName: 'test' });
  await store.prepare();
  practice = await createPractice(store);
});
afterEach(async () => {
  await store.close();
  await testStore.close();
});

const forms = () => testStore.database.collection<FormDocument>('databaseForm');
const author = { principal: { kind: 'system', id: 'test' }, requestId: 'test' } as const;
const eventOf = (kind: 'patient' | 'appointment' | 'invoice', record: object) =>
  newEvent(
    { _id: newId(), event: `${kind}.created`, time: clock.now(), author },
    record as { clinicId: string },
  );

/** A record of each kind with confidential fields, with unpublished and published events, and a delivery. */
const createData = async (of: Practice) => {
  const { clinicIds, organizationId, store: own } = of;
  const now = clock.now();
  const lastEditTime = now.toISOString();
  const patient: Patient = {
    _id: newId(),
    clinicId: clinicIds[0],
    name: 'Paradiesvogel Name',
    email: 'Paradiesvogel@Example.com',
    phone: '+49 paradiesvogel',
    language: 'paradiesvogel-DE',
    lastEditTime,
  };
  const shared = { clinicId: clinicIds[0], patientId: patient._id, lastEditTime };
  const appointment = { ...shared, _id: newId(), procedures: [], reminders: [{ $paradiesvogel: 1 }] };
  const invoice = { ...shared, _id: newId(), number: 'paradiesvogel is kept', total: 1, currency: 'EUR' };
  const treatment = { ...shared, _id: newId(), name: 'Filling', notes: 'Paradiesvogel notes' };
  await own.patients.create(patient, eventOf('patient', patient));
  await own.appointments.create(appointment as never, eventOf('appointment', appointment));
  await own.invoices.create(invoice as never, eventOf('invoice', invoice));
  await own.treatments.create(treatment as never);
  const { deliveries, events, outbox } = store.everyOrganization;
  const [published] = await outbox.read([{ kind: 'appointment', organizationId, recordId: appointment._id }]);
  if (published === undefined) throw new Error('no event');
  await events.enter([published]);
  await outbox.takeOut([published]);
  const made = {
    _id: newId(),
    organizationId,
    clinicId: clinicIds[0],
    subscriptionId: 's',
    eventId: published._id,
  };
  await deliveries.insert([{ ...made, event: 'appointment.created', kind: 'event' }], now);
  const [claimed] = await deliveries.claim([made], newId(), 'worker');
  if (claimed === undefined) throw new Error('not claimed');
  const attempt = { attemptTime: now, duration: 1, timings: {}, outcome: 'succeeded' as const };
  const exchange = {
    url: 'https://paradiesvogel.example.com/hook',
    responseBody: 'Paradiesvogel',
    responseHeaders: { server: 'paradiesvogel' },
  };
  await deliveries.finish([{ delivery: claimed, outcome: { ...attempt, ...exchange } }], now);
  return { patient, appointment, treatment, invoice, eventId: published._id, delivery: made._id };
};
type Data = Awaited<ReturnType<typeof createData>>;

/** Everything that the service returns of this data, with the revisions of the records. */
const seenBy = async (of: Store, organizationId: string, data: Data) => {
  const own = of.organization(organizationId);
  return {
    patient: await own.patients.find(data.patient._id),
    appointment: await own.appointments.find(data.appointment._id),
    treatment: await own.treatments.find(data.treatment._id),
    invoice: await own.invoices.find(data.invoice._id),
    event: await own.events.find(data.eventId),
    delivery: await own.deliveries.find(data.delivery),
    byEmail: await Array.fromAsync(own.patients.list({ email: 'PARADIESVOGEL@example.com' })),
  };
};

/** The places with this text, as `collection.field`. */
const placesOf = async (text: string): Promise<string[]> => {
  const places = new Set<string>();
  for (const { name } of await testStore.database.listCollections().toArray())
    for (const document of await testStore.database.collection(name).find().toArray())
      for (const [field, value] of Object.entries(document))
        if (JSON.stringify(value)?.toLowerCase().includes(text)) places.add(`${name}.${field}`);
  return [...places].toSorted();
};

const apply = (of: Store, more: Partial<ConversionOptions> = {}) =>
  of.everyOrganization.administration.applyEncryption({
    onStage: () => {},
    onProgress: () => {},
    settleMs: 0,
    ...more,
  });

test('text becomes sealed, and nobody sees a change', async () => {
  const other = await createPractice(store);
  const [data, others] = [await createData(practice), await createData(other)];
  const before = await seenBy(store, practice.organizationId, data);
  expect(await placesOf('paradies')).toEqual([
    'appointments.reminders',
    'deliveries.responseBody',
    'deliveries.responseHeaders',
    'deliveries.url',
    'events.body',
    'invoices.number',
    'invoices.outbox',
    'patients.email',
    'patients.emailLowerCase',
    'patients.language',
    'patients.name',
    'patients.outbox',
    'patients.phone',
    'treatments.notes',
  ]);
  const stages: EncryptionStage[] = [];
  const report = await apply(store, { onStage: (stage) => stages.push(stage) });
  expect(stages).toEqual(encryptionStages.slice(1));
  expect(report).toEqual({
    stage: 'encrypted',
    converted: {
      patients: 2,
      appointments: 2,
      treatments: 2,
      'events in patients': 2,
      'events in invoices': 2,
      events: 2,
      deliveries: 2,
    },
    left: [],
    droppedIndexes: ['patients.email'],
  });
  expect(await placesOf('paradies')).toEqual(['invoices.number']);
  expect(await seenBy(store, practice.organizationId, data)).toEqual(before);
  const { url, encryptionKeys } = testStore;
  const reader = openStore({ url, encryptionKeys, appName: 'test' });
  expect(await seenBy(reader, practice.organizationId, data)).toEqual(before);
  expect((await seenBy(reader, other.organizationId, others)).patient?.record).toEqual(others.patient);
  await reader.prepare();
  await reader.close();
  // What is in the outboxes is published with the same text.
  const { outbox, events } = store.everyOrganization;
  const refs = {
    organizationId: practice.organizationId,
    kind: 'patient',
    recordId: data.patient._id,
  } as const;
  const [event] = await outbox.read([refs]);
  if (event === undefined) throw new Error('no event');
  expect(JSON.parse(await events.open(event)).data).toEqual(data.patient);
  // A repetition finds nothing.
  expect(await apply(store)).toMatchObject({ stage: 'encrypted', converted: {}, droppedIndexes: [] });
});

test('a conversion that ends anywhere is completed by the next one', async () => {
  const data = await createData(practice);
  const before = await seenBy(store, practice.organizationId, data);
  for (let steps = 0; ; steps++) {
    let left = steps;
    const step = () => {
      if (left-- === 0) throw new Error('killed');
    };
    const result = await apply(store, { onStage: step, onProgress: step }).catch(
      (error: Error) => error.message,
    );
    expect(await seenBy(store, practice.organizationId, data)).toEqual(before);
    if (result !== 'killed') break;
    expect(steps).toBeLessThan(100);
  }
  expect(await placesOf('paradies')).toEqual(['invoices.number']);
});

test('an edit between the read and the write of the conversion is kept', async () => {
  const patients = await Promise.all(Array.from({ length: 5 }, () => createData(practice)));
  let edits = 0;
  const edit = async () => {
    for (const { patient } of patients) {
      await practice.store.patients.edit(patient._id, ({ record }) => {
        const next = { ...record, name: `Paradiesvogel ${++edits}` };
        return { record: next, event: eventOf('patient', next) };
      });
    }
  };
  const writing = (async () => {
    for (let round = 0; round < 8; round++) await edit();
  })();
  await Promise.all([apply(store), writing]);
  await apply(store);
  const names = await Promise.all(
    patients.map(async ({ patient }) => (await practice.store.patients.find(patient._id))?.record.name),
  );
  expect(names.toSorted()).toEqual(
    [36, 37, 38, 39, 40].map((number) => `Paradiesvogel ${number}`).toSorted(),
  );
  expect(await placesOf('paradies')).toEqual(['invoices.number']);
});

test('a process of an earlier version prevents the beginning, and cannot start after it', async () => {
  const { databaseForm, processes } = collectionsOf(testStore.database as never);
  const earlier = { current: 1, oldestReader: 1, oldestUpgradable: 0 };
  const listener = { service: 'api', onUnreadable: () => {}, onFailed: () => {}, onSkew: () => {} };
  const registration = openRegistration({ databaseForm, processes }, listener, earlier);
  await registration.register();
  await expect(apply(store)).rejects.toThrow(EarlierVersionRunsError);
  expect(await forms().findOne()).not.toHaveProperty('encryption');
  await registration.end();
  await apply(store);
  await expect(checkForm(databaseForm, earlier)).rejects.toThrow(/reads forms up to 1/);
});

test('a repetition waits again for every process, and for the end of those of an earlier version', async () => {
  const { databaseForm, processes } = collectionsOf(testStore.database as never);
  const earlier = { current: 1, oldestReader: 1, oldestUpgradable: 0 };
  const listener = { service: 'api', onUnreadable: () => {}, onFailed: () => {}, onSkew: () => {} };
  const registration = openRegistration({ databaseForm, processes }, listener, earlier);
  /** Calls until a stage is stored and everybody knows, or until it is killed at a stage. */
  const entered = async (killedAt?: EncryptionStage): Promise<EncryptionStage[]> => {
    const stages: EncryptionStage[] = [];
    const onStage = (stage: EncryptionStage) => {
      stages.push(stage);
      if (stage === killedAt) throw new Error('killed');
      if (stage === 'prepared') void registration.end();
    };
    await apply(store, { onStage }).catch(({ message }: Error) => expect(message).toBe('killed'));
    return stages;
  };
  expect(await entered('prepared')).toEqual(['prepared']);
  // It has started after the check of the first call.
  await registration.register();
  expect(await entered('converting')).toEqual(['prepared', 'converting']);
  expect(await processes.countDocuments()).toBe(0);
  expect(await entered()).toEqual(['converting', 'encrypted']);
});

test('is refused before a service of this version has prepared the database', async () => {
  const data = await createData(practice);
  await forms().deleteMany({});
  await expect(apply(store)).rejects.toThrow(/Start a service of this version/);
  await store.prepare();
  expect(await apply(store)).toMatchObject({ stage: 'encrypted', left: [] });
  expect((await practice.store.patients.find(data.patient._id))?.record).toEqual(data.patient);
});

test('what is not valid is left, named, and does not end the conversion as if all were done', async () => {
  const data = await createData(practice);
  const events = testStore.database.collection<{ _id: string }>('events');
  await events.updateOne({ _id: data.eventId }, { $set: { body: 'no JSON' }, $unset: { patientId: '' } });
  const left = [{ name: 'events', _id: data.eventId }];
  expect(await apply(store)).toMatchObject({ stage: 'converting', left, droppedIndexes: [] });
  expect((await practice.store.patients.find(data.patient._id))?.record).toEqual(data.patient);
  await events.deleteOne({ _id: data.eventId });
  expect(await apply(store)).toMatchObject({ stage: 'encrypted', left: [] });
});

test('an event that names no patient gets its patient, so that erasing finds it', async () => {
  const data = await createData(practice);
  const events = testStore.database.collection<{ _id: string; body: unknown; patientId?: string }>('events');
  await events.updateOne({ _id: data.eventId }, { $unset: { patientId: '' } });
  await apply(store);
  const found = await events.findOne({ _id: data.eventId });
  expect(found?.patientId).toBe(data.patient._id);
  expect(found?.body).toBeInstanceOf(Binary);
});
