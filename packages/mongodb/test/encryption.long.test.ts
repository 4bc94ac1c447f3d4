import type { KeyObject } from 'node:crypto';
import { clock, newEvent, newId, type Patient } from '@chairside/domain';
import { Binary } from 'mongodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createPractice,
  openTestStore,
  type Practice,
  type TestStore,
} from '../../test-support/src/index.ts';

import type { DeliveryDocument } from '../src/deliveries/deliveries.ts';
import { type EncryptionListener, openCiphers, UnreadableValueError } from '../src/encryption/ciphers.ts';
import {
  type DataKeyDocument,
  dataKeyId,
  type KeyedOrganization,
  KeysDestroyedError,
  openDataKeys,
} from '../src/encryption/data-keys.ts';
import { environmentKeys } from '../src/encryption/key-wrapper.ts';
import { openSecrets } from '../src/encryption/secrets.ts';
import { openWholeStore, type WholeStore } from '../src/stores/whole-store.ts';

let testStore: TestStore;
let practice: Practice;
const stores: WholeStore[] = [];
beforeEach(async () => {
  testStore = await openTestStore();
  practice = await createPractice(testStore.store);
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await testStore.close();
});

type Sealed = { _id: string; organizationId: string; sealed?: Binary; [field: string]: unknown };
const documents = (name: string) => testStore.database.collection<Sealed>(name);
const organizations = () => testStore.database.collection<KeyedOrganization>('organizations');
const keys = () => testStore.database.collection<DataKeyDocument>('dataKeys');

/** The store of another process. */
const openOther = (encryption?: EncryptionListener): WholeStore => {
  const { url, encryptionKeys } = testStore;
  const store = openWholeStore({ url, encryptionKeys, appName: 'test', ...(encryption && { encryption }) });
  stores.push(store);
  return store;
};

const author = { principal: { kind: 'system', id: 'test' }, requestId: 'test' } as const;
const createPatient = async (of: Practice = practice, more: Partial<Patient> = {}): Promise<Patient> => {
  const now = clock.now();
  const patient: Patient = {
    _id: newId(now),
    clinicId: of.clinicIds[0],
    name: 'Paradiesvogel Name',
    email: 'Paradiesvogel@Example.com',
    phone: '+49 paradiesvogel',
    language: 'paradiesvogel-DE',
    createdTime: now.toISOString(),
    lastEditTime: now.toISOString(),
    ...more,
  };
  const event = newEvent({ _id: newId(now), event: 'patient.created', time: now, author }, patient);
  await of.store.patients.create(patient, event);
  return patient;
};

const rawText = async (name: string): Promise<string> => {
  const raw = await testStore.database.collection(name).find({}, { raw: true }).toArray();
  return raw.map((document) => Buffer.from(document as unknown as Uint8Array).toString('latin1')).join('\n');
};

test('what identifies a patient is in no document, and is read as before', async () => {
  const patient = await createPatient();
  const { store, clinicIds } = practice;
  const now = clock.now().toISOString();
  const shared = { clinicId: clinicIds[0], patientId: patient._id, lastEditTime: now };
  const reminder = { paradiesvogel: 'Paradiesvogel reminder' };
  const appointment = { ...shared, _id: newId(), procedures: [], reminders: [reminder] };
  await store.appointments.create(appointment as never);
  const treatment = { ...shared, _id: newId(), name: 'Filling', notes: 'Paradiesvogel notes' };
  await store.treatments.create({ ...treatment, creationTime: now } as never);

  for (const name of ['patients', 'appointments', 'treatments']) {
    const text = await rawText(name);
    expect(text.length).toBeGreaterThan(100);
    expect(text.toLowerCase()).not.toContain('paradies');
  }
  expect((await store.patients.find(patient._id))?.record).toEqual(patient);
  expect((await store.appointments.find(appointment._id))?.record).toMatchObject({ reminders: [reminder] });
  expect((await store.treatments.find(treatment._id))?.record).toMatchObject({ notes: treatment.notes });
  expect(await Array.fromAsync(store.patients.list({}, ['name']))).toEqual([
    { _id: patient._id, name: patient.name },
  ]);
  expect(await Array.fromAsync(store.patients.list({}, ['clinicId']))).toEqual([
    { _id: patient._id, clinicId: patient.clinicId },
  ]);
});

test('a patient is found by e-mail in any case, in its organization alone, and by the present address alone', async () => {
  const patient = await createPatient();
  const other = await createPractice(testStore.store);
  await createPatient(other);
  const found = async (email: string, of = practice) =>
    (await Array.fromAsync(of.store.patients.page({ email }, { limit: 10 }).rows)).map(
      ({ record }) => record._id,
    );
  expect(await found('PARADIESVOGEL@example.COM')).toEqual([patient._id]);
  expect(await found('paradiesvogel@example.co')).toEqual([]);

  await practice.store.patients.edit(patient._id, ({ record }) => {
    const next = { ...record, email: 'new@example.com' };
    const event = newEvent({ _id: newId(), event: 'patient.updated', time: clock.now(), author }, next);
    return { record: next, event };
  });
  expect(await found('paradiesvogel@example.com')).toEqual([]);
  expect(await found('new@example.com')).toEqual([patient._id]);

  // Equal addresses have the same token in one organization, and another one in another.
  const twin = await createPatient(practice, { email: 'NEW@example.com' });
  const tokens = (await documents('patients').find().toArray()).map(
    ({ organizationId, _id, emailToken }) => ({
      key:
        organizationId === practice.organizationId && [patient._id, twin._id].includes(_id)
          ? 'same'
          : 'other',
      token: (emailToken as Binary).toString('hex'),
    }),
  );
  const same = new Set(tokens.filter(({ key }) => key === 'same').map(({ token }) => token));
  expect(same.size).toBe(1);
  expect(tokens.filter(({ token }) => same.has(token))).toHaveLength(2);
});

test('a value that does not open is an error of its record alone', async () => {
  const [first, second, third] = [await createPatient(), await createPatient(), await createPatient()];
  const other = await createPractice(testStore.store);
  const stranger = await createPatient(other);
  const sealedOf = async (id: string) => (await documents('patients').findOne({ _id: id }))?.sealed as Binary;
  const own = await sealedOf(second._id);
  const changed = (at: number) => {
    const bytes = Buffer.from(own.buffer);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    return new Binary(bytes);
  };
  const bad: Record<string, object> = {
    'a swapped value': { $set: { sealed: await sealedOf(first._id) } },
    'a value of another organization': { $set: { sealed: await sealedOf(stranger._id) } },
    'a value of an unknown key': { $set: { sealed: changed(2) } },
    'a value of another form': { $set: { sealed: changed(0) } },
    'a changed text': { $set: { sealed: changed(20) } },
    'a truncated value': { $set: { sealed: new Binary(Buffer.from(own.buffer).subarray(0, -1)) } },
    'an empty value': { $set: { sealed: new Binary(Buffer.alloc(0)) } },
    'text instead of a value': { $set: { name: 'Somebody Else' }, $unset: { sealed: '' } },
  };
  const reported: string[] = [];
  const { patients } = openOther({
    onUnreadable: ({ place }) => reported.push(place._id),
    onUnusableKeys: (error) => reported.push(String(error)),
    onError: (error) => reported.push(String(error)),
  }).organization(practice.organizationId);
  for (const [name, update] of Object.entries(bad)) {
    await documents('patients').updateOne({ _id: second._id }, update);
    const error = await patients.find(second._id).catch((each: unknown) => each);
    expect({ name, error }).toEqual({ name, error: expect.any(UnreadableValueError) });
    expect((error as Error).message).not.toMatch(/Somebody|Paradies/);
    expect((await patients.find(first._id))?.record).toEqual(first);
    const listed: string[] = [];
    const list = async () => {
      for await (const { _id } of patients.list({})) listed.push(_id);
    };
    await expect(list()).rejects.toThrow(UnreadableValueError);
    expect(listed).toEqual([first._id]);
    await documents('patients').updateOne(
      { _id: second._id },
      { $set: { sealed: own }, $unset: { name: '' } },
    );
  }
  // Each read and each list reports it.
  expect(reported).toEqual(Object.keys(bad).flatMap(() => [second._id, second._id]));
  expect((await Array.fromAsync(patients.list({}))).map(({ _id }) => _id)).toEqual([
    first._id,
    second._id,
    third._id,
  ]);
});

test('the exchange with a receiver is sealed, and an event that does not open is named as such', async () => {
  const { deliveries, events } = testStore.store.everyOrganization;
  const { organizationId, clinicIds } = practice;
  const now = clock.now();
  const made = { _id: 'e-d', organizationId, clinicId: clinicIds[0], subscriptionId: 's', eventId: 'e' };
  await deliveries.insert([{ ...made, event: 'patient.created', kind: 'event' }], now);
  const [claimed] = await deliveries.claim([made], 'token', 'worker');
  if (claimed === undefined) throw new Error('not claimed');
  const exchange = {
    url: 'https://paradiesvogel.example.com/hook',
    responseBody: 'Paradiesvogel',
    responseHeaders: { server: 'paradiesvogel' },
  };
  const attempt = { attemptTime: now, duration: 1, timings: {}, outcome: 'succeeded' as const };
  await deliveries.finish([{ delivery: claimed, outcome: { ...attempt, ...exchange } }], now);
  expect((await rawText('deliveries')).toLowerCase()).not.toContain('paradies');
  expect(await practice.store.deliveries.find('e-d')).toMatchObject(exchange);
  expect(await deliveries.lastSuccess('s')).toMatchObject({ url: exchange.url });
  const stored = await testStore.database.collection<DeliveryDocument>('deliveries').findOne({ _id: 'e-d' });
  expect(Object.keys(stored ?? {})).not.toEqual(expect.arrayContaining(Object.keys(exchange)));
  await expect(events.open({ _id: 'e', organizationId, body: '{}' as never })).rejects.toThrow(
    UnreadableValueError,
  );
  await expect(events.open({ _id: 'e', organizationId, body: new Binary() })).rejects.toThrow(
    UnreadableValueError,
  );
});

test('another data key seals from then on; processes that do not know it read its values', async () => {
  const { administration } = testStore.store.everyOrganization;
  const { organizationId } = practice;
  const [before, late] = [await createPatient(), await createPatient()];
  const other = openOther().organization(organizationId);
  expect((await other.patients.find(before._id))?.record).toEqual(before);
  const numbers = async () =>
    (
      await documents('patients')
        .find({}, { sort: { _id: 1 } })
        .toArray()
    ).map(({ sealed }) => (sealed as Binary).buffer[2]);
  expect(await numbers()).toEqual([1, 1]);

  const done: string[] = [];
  const report = await administration.rotateDataKey(organizationId, ({ name }) => done.push(name));
  // Two patients, and the events in their outboxes.
  expect(report).toEqual({ resealed: 4, current: 0, refused: [] });
  expect(new Set(done)).toEqual(new Set(['patients', 'events in patients']));
  expect(await numbers()).toEqual([2, 2]);
  expect((await other.patients.find(before._id))?.record).toEqual(before);
  // The other process still seals with the key that it knows.
  await other.patients.edit(late._id, ({ record }) => {
    const event = newEvent({ _id: newId(), event: 'patient.updated', time: clock.now(), author }, record);
    return { record: { ...record, name: 'Late' }, event };
  });
  expect((await practice.store.patients.find(late._id))?.record).toMatchObject({ name: 'Late' });
  // Everything is sealed with the newest key again after another rotation.
  expect(await administration.rotateDataKey(organizationId, () => {})).toMatchObject({ refused: [] });
  expect(await numbers()).toEqual([3, 3]);
  // A process that has just looked for one key looks for the next one, too.
  expect((await other.patients.find(before._id))?.record).toEqual(before);
  expect((await practice.store.patients.find(late._id))?.record).toMatchObject({ name: 'Late' });
  expect(await administration.checkSealed(() => {})).toEqual({ opened: 5, refused: [] });
});

test('another master key rewrites the data keys and the secrets, and both old and new keys read everything', async () => {
  const patient = await createPatient();
  const subscription = await practice.store.subscriptions.create(
    {
      clinicId: practice.clinicIds[0],
      url: 'https://example.com',
      events: [],
      active: true,
      headers: { Authorization: 'a' },
    },
    clock.now(),
  );
  const raw = await documents('patients').findOne({ _id: patient._id });
  const both = `new:${Buffer.alloc(32, 7).toString('base64')},${testStore.encryptionKeys}`;
  const { url } = testStore;
  const rotating = openWholeStore({ url, encryptionKeys: both, appName: 'test' });
  stores.push(rotating);
  const report = await rotating.everyOrganization.administration.rotateEncryption(() => {});
  expect(report.left).toEqual([]);
  const wrapped = await keys().find().toArray();
  expect(wrapped.length).toBe(2);
  for (const each of wrapped) expect(each.wrapped).toMatch(/^new:/);
  expect(await documents('patients').findOne({ _id: patient._id })).toEqual(raw);
  const alone = openWholeStore({ url, encryptionKeys: both.split(',')[0] ?? '', appName: 'test' });
  stores.push(alone);
  expect((await alone.organization(practice.organizationId).patients.find(patient._id))?.record).toEqual(
    patient,
  );
  const receivers = await alone.everyOrganization.receivers.find([subscription?._id ?? '']);
  expect([...receivers.values()]).toMatchObject([
    { secret: subscription?.secret, headers: { Authorization: 'a' } },
  ]);
});

test('of many processes that create the keys of an organization at once, all use the same', async () => {
  const { organizationId } = practice;
  const others = Array.from({ length: 8 }, () => openOther().organization(organizationId));
  const ids = others.map(() => newId());
  await Promise.all(
    others.map(({ patients }, index) =>
      patients.create({
        _id: ids[index] as string,
        clinicId: practice.clinicIds[0],
        name: `Patient ${index}`,
        createdTime: clock.now().toISOString(),
        lastEditTime: clock.now().toISOString(),
      }),
    ),
  );
  const reader = openOther().organization(organizationId);
  for (const [index, id] of ids.entries())
    expect((await reader.patients.find(id))?.record).toMatchObject({ name: `Patient ${index}` });
  expect(await keys().countDocuments()).toBe(2);
});

test('keys that another process creates between the two reads of a process are used', async () => {
  const { organizationId } = practice;
  const wrapper = environmentKeys(openSecrets(testStore.encryptionKeys));
  const other = openDataKeys(keys(), wrapper, organizations());
  const late = new Proxy(organizations(), {
    get: (target, name) =>
      name === 'findOne'
        ? async (...given: Parameters<typeof target.findOne>) => {
            await other.read(organizationId);
            return target.findOne(...given);
          }
        : Reflect.get(target, name).bind?.(target),
  });
  const found = await openDataKeys(keys(), wrapper, late).read(organizationId);
  expect(found.data.get(1)?.equals((await other.read(organizationId)).data.get(1) as KeyObject)).toBe(true);
});

test('the values that a data key seals are counted, and the next key follows long before the limit', async () => {
  const { organizationId } = practice;
  await testStore.store.ciphers.of(organizationId);
  await keys().updateOne({ _id: dataKeyId(organizationId, 1) }, { $set: { uses: 2 ** 30 - 10_001 } });
  const errors: unknown[] = [];
  const ciphers = openCiphers({
    keys: openDataKeys(keys(), environmentKeys(openSecrets(testStore.encryptionKeys)), organizations()),
    searchState: async () => 'on',
    onUnreadable: (error) => errors.push(error),
    onUnusableKeys: (error) => errors.push(error),
    onError: (error) => errors.push(error),
  });
  const place = { collection: 'c', _id: 'i', field: 'f' };
  const sealMany = async () => {
    const cipher = await ciphers.of(organizationId);
    for (let count = 0; count < 10_000; count++) cipher.seal('text', place);
    return (cipher.seal('text', place)[2] ?? 0) as number;
  };
  expect(await sealMany()).toBe(1);
  await expect.poll(async () => (await keys().findOne({ number: 1 }))?.uses).toBe(2 ** 30 - 1);
  expect(await keys().countDocuments({ organizationId })).toBe(2);
  await sealMany();
  await expect.poll(() => keys().countDocuments({ organizationId })).toBe(3);
  await expect.poll(async () => (await ciphers.of(organizationId)).seal('text', place)[2]).toBe(2);
  expect(ciphers.usedShare()).toBeCloseTo(0.25);
  await ciphers.close();
  expect(errors).toEqual([]);
});

test('destroyed keys open nothing, and no process creates them again', async () => {
  const patient = await createPatient();
  const dataKeys = openDataKeys(
    keys(),
    environmentKeys(openSecrets(testStore.encryptionKeys)),
    organizations(),
  );
  await dataKeys.destroy(practice.organizationId);
  await dataKeys.destroy(practice.organizationId);
  await dataKeys.destroy('an organization without keys');
  for (const id of [practice.organizationId, 'an organization without keys'])
    await expect(openOther().ciphers.of(id)).rejects.toThrow(KeysDestroyedError);
  const late = openOther().organization(practice.organizationId);
  await expect(late.patients.find(patient._id)).rejects.toThrow(KeysDestroyedError);
  expect(await keys().countDocuments({ wrapped: { $exists: true } })).toBe(0);
});

test('keys that were lost or changed are reported and not replaced by others', async () => {
  const { organizationId } = practice;
  const patient = await createPatient();
  const lost = await keys().find({ organizationId }).toArray();
  const reported: string[] = [];
  const late = openOther({
    onUnreadable: (error) => reported.push(String(error)),
    onUnusableKeys: (error) => reported.push(error.organizationId),
    onError: (error) => reported.push(String(error)),
  }).organization(organizationId).patients;
  const unusable = () =>
    openDataKeys(keys(), environmentKeys(openSecrets(testStore.encryptionKeys)), organizations()).unusable();
  expect(await unusable()).toEqual([]);

  await keys().deleteMany({ organizationId });
  await expect(late.find(patient._id)).rejects.toThrow(/keys .* are missing\. See .* "Lost data keys"/);
  expect(await unusable()).toEqual([organizationId]);
  await keys().insertMany(lost.map((key) => ({ ...key, wrapped: `${key.wrapped?.slice(0, -8)}AAAAAAA=` })));
  await expect(late.find(patient._id)).rejects.toThrow(
    /keys .* cannot be decrypted with ENCRYPTION_KEYS\. See/,
  );
  expect({ reported, unusable: await unusable() }).toEqual({
    reported: [organizationId, organizationId],
    unusable: [organizationId],
  });

  await keys().deleteMany({ organizationId });
  await keys().insertMany(lost);
  expect((await late.find(patient._id))?.record).toEqual(patient);
  expect(await unusable()).toEqual([]);
});
