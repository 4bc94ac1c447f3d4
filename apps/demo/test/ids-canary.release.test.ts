import {
  canaryFinder,
  openedDocuments,
  startRecordingReceiver,
  startWholeService,
  testEngines,
} from '@chairside/test-support';
import { expect, onTestFinished, test } from 'vitest';
import { appointment, CANARY, patient } from './canary-records.ts';

/** Subscriptions with the payload `ids`. */
const SUBSCRIPTIONS = 10;
/** Patients, each with an appointment. */
const PATIENTS = 500;
const IN_BATCH = 50;
const EVENTS = 2 * PATIENTS;

/** The value of a fixed header. */
const HEADER = 'paradiesvogel-of-the-receiver';

test(`${SUBSCRIPTIONS * EVENTS} deliveries with ids: nothing of a record or a fixed header is on the socket, kept or logged`, async () => {
  const service = await startWholeService(testEngines().redisUrl);
  onTestFinished(() => service.close());
  const receiver = await startRecordingReceiver();
  onTestFinished(() => receiver.close());
  // What a receiver returns would be kept with the delivery.
  receiver.respond = ({ raw, headers }, response) =>
    void response.end(Buffer.concat([raw, Buffer.from(JSON.stringify(headers))]));
  const { practice } = service;
  const [clinicId] = practice.clinicIds;
  const { subscriptions } = practice.store;
  for (let number = 0; number < SUBSCRIPTIONS; number++) {
    const url = `${receiver.url}/${number}`;
    const sent = { clinicId, url, events: [], active: true, payload: 'ids' as const };
    await subscriptions.create({ ...sent, headers: { Authorization: HEADER } }, new Date());
  }

  /** Repeats what an overloaded database has refused. What was stored nevertheless is not changed again. */
  const writeAll = async (writes: readonly object[]): Promise<void> => {
    let left = writes;
    while (left.length > 0) {
      const sent = left;
      const { json } = await service.call('POST', '/api/batch', { writes: sent });
      const statuses: number[] = json.results.map(({ status }: { status: number }) => status);
      expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
      left = sent.filter((_, index) => statuses[index] === 503);
    }
  };
  for (let row = 0; row < PATIENTS; row += IN_BATCH) {
    const rows = Array.from({ length: IN_BATCH }, (_, index) => row + index);
    await writeAll(
      rows.map((each) => ({
        method: 'upsert',
        kind: 'patient',
        externalId: `p${each}`,
        body: { clinicId, ...patient },
      })),
    );
    // If a patient was refused, an appointment in the same batch would have none.
    await writeAll(
      rows.map((each) => ({
        method: 'upsert',
        kind: 'appointment',
        externalId: `a${each}`,
        body: { clinicId, patientExternalId: `p${each}`, ...appointment },
      })),
    );
  }
  await receiver.until((posts) => posts.length === SUBSCRIPTIONS * EVENTS);
  await service.receiver.until((posts) => posts.length === EVENTS);
  await expect
    .poll(() => service.database.collection('deliveries').countDocuments({ status: 'succeeded' }))
    .toBe((SUBSCRIPTIONS + 1) * EVENTS);

  const [ofRecord, ofHeader] = [canaryFinder(CANARY), canaryFinder(HEADER)];
  // The finder finds what a subscription with the payload `full` gets.
  for (const { raw } of service.receiver.posts) expect(ofRecord(raw)).toBe('UTF-8');
  for (const { raw, rawHeaders } of receiver.posts) {
    expect(ofRecord(raw)).toBeUndefined();
    expect(rawHeaders).toContain(HEADER);
    expect(ofRecord(Buffer.from(rawHeaders.join('\n')))).toBeUndefined();
  }
  const kept = (await openedDocuments(service, 'deliveries')).map((delivery) =>
    Buffer.from(JSON.stringify(delivery)),
  );
  expect(kept).toHaveLength((SUBSCRIPTIONS + 1) * EVENTS);
  for (const delivery of kept)
    expect([ofRecord(delivery), ofHeader(delivery)]).toEqual([undefined, undefined]);
  const logged = Buffer.from(JSON.stringify([service.api.lines, service.dispatcher.lines]));
  expect([ofRecord(logged), ofHeader(logged)]).toEqual([undefined, undefined]);
});
