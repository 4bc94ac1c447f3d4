import type { LargeOutboxRef, OutboxRef, StoredEvent } from '@chairside/mongodb/dispatch';
import { Binary } from 'mongodb';
import { expect, test } from 'vitest';
import { createPublisher } from './publisher.ts';
import { createRestingRecords } from './resting-records.ts';

const MIB = 1024 * 1024;
const refTo = (organizationId: string, recordId: string): OutboxRef => ({
  organizationId,
  kind: 'patient',
  recordId,
});

/** The only event of a record. Its id is the id of the record. */
const eventOf = ({ organizationId, kind, recordId }: OutboxRef): StoredEvent => ({
  _id: recordId,
  organizationId,
  kind,
  recordId,
  event: 'patient.created',
  clinicIds: ['c'],
  time: new Date(0),
  body: new Binary(),
  principal: { kind: 'system', id: 'test' },
  requestId: 'r',
});

/**
 * A publisher over fake records. The records in `sizes` are large. Each slice of large records waits until the test
 * releases it.
 */
const openPublisher = (sizes: Record<string, number>, isRefused = (_recordId: string) => false) => {
  const slices: { records: string[]; go(): void }[] = [];
  const published: string[] = [];
  const errors: string[] = [];
  const onError = (error: unknown) => errors.push((error as Error).message);
  const waiting = new Set<() => void>();
  const toEvents = (refs: readonly OutboxRef[]) => refs.map(eventOf);
  const publisher = createPublisher({
    outbox: {
      read: async (refs) => toEvents(refs),
      async readSmall(refs) {
        const isLarge = ({ recordId }: OutboxRef) => (sizes[recordId] ?? 0) > 0;
        const large = refs
          .filter(isLarge)
          .map((ref): LargeOutboxRef => ({ ...ref, bytes: sizes[ref.recordId] ?? 0 }));
        return { events: toEvents(refs.filter((ref) => !isLarge(ref))), large };
      },
    },
    async fanOut(_records, read) {
      const records = (await read()).map(({ _id }) => _id);
      if (records.some((recordId) => (sizes[recordId] ?? 0) > 0)) {
        const { promise, resolve } = Promise.withResolvers<void>();
        slices.push({ records, go: resolve });
        for (const look of waiting) look();
        await promise;
      }
      if (records.some(isRefused)) throw new Error(`refused: ${records.join(' ')}`);
      published.push(...records);
    },
    costs: { of: () => 1 },
    resting: createRestingRecords(onError),
    onError,
  });
  const untilSlice = (number: number) =>
    new Promise<{ records: string[]; go(): void }>((resolve) => {
      const look = () => {
        const slice = slices[number - 1];
        if (slice !== undefined) resolve(slice);
      };
      waiting.add(look);
      look();
    });
  return { publisher, published, errors, untilSlice };
};

test('publishes large records in slices of 4 MiB; organizations take turns', async () => {
  const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1'];
  const { publisher, untilSlice } = openPublisher(Object.fromEntries(names.map((name) => [name, 1.5 * MIB])));
  await Promise.all(names.map((name) => publisher.publish(refTo(name.slice(0, 1), name))));
  const first = await untilSlice(1);
  expect(first.records).toEqual(['a1', 'b1', 'a2']);
  first.go();
  const second = await untilSlice(2);
  expect(second.records).toEqual(['a3', 'a4', 'a5']);
  expect(publisher.inHand()).toEqual([]);
  second.go();
  await publisher.stop();
});

test('small records do not wait for large ones', async () => {
  const { publisher, published, untilSlice } = openPublisher({ large: MIB });
  await publisher.publish(refTo('a', 'large'));
  const slice = await untilSlice(1);
  await publisher.publish(refTo('b', 'small'));
  expect(published).toEqual(['small']);
  slice.go();
  await publisher.stop();
  expect(published).toEqual(['small', 'large']);
});

test('keeps at most 200 large records of one organization in memory, and leaves room for other organizations', async () => {
  const names = Array.from({ length: 2500 }, (_, index) => `r${index}`);
  const sizes = Object.fromEntries([...names, 'other'].map((name) => [name, 5 * MIB]));
  const { publisher, untilSlice } = openPublisher(sizes);
  await Promise.all(names.map((name) => publisher.publish(refTo('a', name))));
  await expect.poll(publisher.full).toEqual(['a']);
  expect(publisher.inHand().length).toBeLessThanOrEqual(200);
  await publisher.publish(refTo('b', 'other'));
  expect(publisher.inHand()).toContain('other');
  const slice = await untilSlice(1);
  const stopped = publisher.stop();
  slice.go();
  await stopped;
});

test('a record whose events cannot be published is logged by name, is paused, and blocks no other record', async () => {
  const { publisher, published, errors } = openPublisher({}, (recordId) => recordId === 'bad');
  await Promise.all(['one', 'bad', 'two'].map((name) => publisher.publish(refTo('a', name))));
  expect(published).toEqual(['one', 'two']);
  expect(errors).toEqual(['refused: one bad two', 'the events of patient bad cannot be published']);
  expect(publisher.inHand()).toEqual(['bad']);
});
