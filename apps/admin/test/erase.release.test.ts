import { collectionsWith, createPractice, openedDocuments } from '@chairside/test-support';
import { afterAll, expect, test } from 'vitest';
import { openPracticeCommands } from './practice-commands.ts';

const CANARY = 'Kanarienvogel';

const { testStore, practice, folder, cli, close } = await openPracticeCommands();
afterAll(close);

/** All stored documents, with what is sealed in them as text. */
const whole = async (): Promise<string> => {
  const collections = await testStore.database.listCollections({}, { nameOnly: true }).toArray();
  const all = await Promise.all(collections.map(({ name }) => openedDocuments(testStore, name)));
  return JSON.stringify(all);
};

/** Imports a patient with one record of each other kind, with events. Returns the id of the patient. */
const plant = async (externalId: string, canary: string): Promise<string> => {
  const [clinicId] = practice.clinicIds;
  const own = { externalId, clinicId, patientId: externalId };
  const money = { currency: 'EUR', creationTime: '2026-01-01T00:00:00Z' };
  const lines = {
    patient: { externalId, clinicId, name: canary, email: `${canary}@example.com`, phone: canary },
    appointment: { ...own, reminders: [{ note: canary }], procedures: [{ procedureId: 'x', name: canary }] },
    invoice: { ...own, ...money, number: canary, total: 1, status: 'OPEN' },
    payment: { ...own, ...money, amount: 1, method: 'CASH', status: 'COMPLETED' },
    treatment: {
      ...own,
      ...money,
      procedureId: 'x',
      name: canary,
      notes: canary,
      teeth: [],
      surfaces: [],
      status: 'PLANNED',
      price: 1,
    },
  };
  for (const [kind, line] of Object.entries(lines)) {
    const file = await folder.writeLines(`${externalId}-${kind}.ndjson`, [line]);
    const { code } = await cli.run([
      'import',
      kind,
      file,
      '--organization',
      practice.organizationId,
      '--events',
      'changes',
    ]);
    expect(code).toBe(0);
  }
  return (await practice.store.patients.idOf(externalId)) ?? '';
};

/**
 * Publishes the events of these kinds. Each event gets a failed delivery with this response, and a delivery that waits.
 *
 * @param isFiled false as after a kill of the dispatcher that has sent the event, but not entered it into the log
 */
const publish = async (kinds: readonly string[], response: string, isFiled = true): Promise<void> => {
  const { everyOrganization } = testStore.store;
  for (const kind of kinds) {
    const documents = await testStore.database
      .collection(`${kind}s`)
      .find({ outboxAt: { $exists: true } })
      .toArray();
    const refs = documents.map(({ _id, organizationId }) => ({
      kind: kind as 'patient',
      organizationId,
      recordId: String(_id),
    }));
    const events = await everyOrganization.outbox.read(refs);
    const now = new Date();
    if (isFiled) await everyOrganization.events.enter(events);
    for (const { _id, organizationId, event } of events) {
      const ids = {
        organizationId,
        clinicId: practice.clinicIds[0],
        eventId: _id,
        event,
        kind: 'event' as const,
      };
      await everyOrganization.deliveries.insert(
        ['done', 'waiting'].map((subscriptionId) => ({
          ...ids,
          _id: `${_id}-${subscriptionId}`,
          subscriptionId,
        })),
        now,
      );
      const [delivery] = await everyOrganization.deliveries.claim(
        [{ _id: `${_id}-done`, organizationId, subscriptionId: 'done' }],
        'token',
        'worker',
      );
      if (delivery === undefined) throw new Error('a new delivery cannot be claimed');
      const outcome = {
        outcome: 'failed' as const,
        cause: 'status' as const,
        attemptTime: now,
        duration: 5,
        statusCode: 500,
        timings: {},
        responseBody: response,
      };
      await everyOrganization.deliveries.finish(
        [{ delivery, outcome: { ...outcome, reason: response } }],
        now,
      );
    }
    if (isFiled) await everyOrganization.outbox.takeOut(events);
  }
};

test('leaves no data of an erased patient in any collection, and keeps the data of others', async () => {
  const patientId = await plant('gone', CANARY);
  const kept = await plant('kept', 'Sperling');
  await publish(['patient', 'appointment', 'invoice'], `answered ${CANARY}`);
  await publish(['payment'], `answered ${CANARY}`, false);
  expect(await whole()).toContain(CANARY);
  expect(await collectionsWith(testStore, `${CANARY}@example.com`)).toEqual([]);
  // A deleted appointment leaves its events, which contain the canary.
  await testStore.database.collection('appointments').deleteMany({ patientId });
  const deliveries = testStore.database.collection('deliveries');
  const ended = { finalTime: { $exists: true } };
  await deliveries.updateMany(ended, { $set: { bulkId: 'bulk' } });

  const erase = ['patient', 'erase', patientId, '--organization', practice.organizationId];
  const trial = await cli.run([...erase, '--dry-run']);
  expect(trial.json).toMatchObject({ records: { patient: 1 }, events: 3, dryRun: true });
  expect(await whole()).toContain(CANARY);

  const { code, json, stdout, stderr } = await cli.run(erase);
  expect(code).toBe(0);
  expect(json).toMatchObject({
    records: { patient: 1, invoice: 1, payment: 1, treatment: 1 },
    events: 3,
    deliveriesRemoved: 4,
    deliveriesEmptied: 4,
  });
  expect(stdout + stderr).not.toContain(CANARY);
  // The fake responses to the other patient's deliveries contain the canary too. They belong to the other patient.
  const responses = (await openedDocuments(testStore, 'deliveries')).filter(
    ({ responseBody }) => responseBody !== undefined,
  );
  expect(responses).toHaveLength(4);
  await deliveries.updateMany({}, { $unset: { sealed: '', reason: '' } });
  expect(await whole()).not.toContain(CANARY);
  expect(await deliveries.countDocuments({ eventId: { $exists: true } })).toBe(12);
  // The counts of a bulk redelivery stay true.
  expect(await deliveries.countDocuments({ bulkId: 'bulk' })).toBe(await deliveries.countDocuments(ended));

  expect((await practice.store.patients.find(kept))?.record.name).toBe('Sperling');
  const [entry] = await testStore.database.collection('auditEntries').find({ action: 'erased' }).toArray();
  expect(entry).toMatchObject({
    organizationId: practice.organizationId,
    principal: { kind: 'system' },
    kind: 'patient',
    result: 'erased',
    ids: expect.arrayContaining([patientId]),
  });

  const again = await cli.run(erase);
  expect(again.code).toBe(1);
  expect(JSON.parse(again.stderr).error.message).toMatch(/no data of a patient/);
  // The next test publishes its own payment.
  await testStore.database.collection('payments').updateMany({}, { $unset: { outbox: '', outboxAt: '' } });
});

test('keeps invoices and payments on request, but not their events', async () => {
  const patientId = await plant('taxed', 'Drossel');
  await publish(['patient', 'invoice'], 'ok');
  await publish(['payment'], 'ok', false);
  const { json } = await cli.run([
    'patient',
    'erase',
    patientId,
    '--organization',
    practice.organizationId,
    '--keep-billing',
  ]);
  expect(json.records).toEqual({ patient: 1, appointment: 1, treatment: 1 });
  expect(await testStore.database.collection('invoices').countDocuments({ patientId })).toBe(1);
  const bodies = await openedDocuments(testStore, 'events');
  expect(JSON.stringify(bodies)).toContain('Sperling');
  expect(JSON.stringify(bodies)).not.toContain(patientId);
  // The payment's event was still in its outbox.
  expect(json).toMatchObject({ events: 3, deliveriesRemoved: 3, deliveriesEmptied: 3 });
  expect(await testStore.database.collection('payments').findOne({ patientId })).not.toHaveProperty('outbox');
});

test('does not find a patient of another organization', async () => {
  const patientId = await plant('theirs', 'Meise');
  const other = await createPractice(testStore.store);
  const { code } = await cli.run(['patient', 'erase', patientId, '--organization', other.organizationId]);
  expect(code).toBe(1);
  expect((await practice.store.patients.find(patientId))?.record.name).toBe('Meise');
});
