import type { UnpublishedEvent } from '@chairside/domain';
import type { OutboxRef } from '@chairside/mongodb/dispatch';
import { expect, test } from 'vitest';
import { createSmallRecords, type WaitingRecord } from './small-records.ts';

/** A record. Its organization is the first letter of its id. */
const refTo = (recordId: string): OutboxRef => ({
  organizationId: recordId.slice(0, 1),
  kind: 'patient',
  recordId,
});
/** An event that a job names. */
const eventOf = (recordId: string, eventId = `event of ${recordId}`): UnpublishedEvent => ({
  ...refTo(recordId),
  kind: 'patient',
  eventId,
  clinicIds: ['c'],
});
const many = (organizationId: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${organizationId}${index}`);

const settle = async () => {
  for (let round = 0; round < 5; round++) await new Promise(setImmediate);
};

/** A queue whose groups end when the test ends them. An event of the organization `a` leads to 20 deliveries. */
const open = () => {
  const groups: { ids: string[]; records: readonly WaitingRecord[]; end(error?: Error): void }[] = [];
  const errors: unknown[] = [];
  const small = createSmallRecords({
    publish: (records) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => (error === undefined ? resolve() : reject(error));
        groups.push({ ids: records.map(({ ref }) => ref.recordId), records, end });
      }),
    costs: { of: (organizationId) => (organizationId === 'a' ? 20 : 1) },
    onError: (error) => errors.push(error),
  });
  return {
    small,
    groups,
    errors,
    announce: (ids: readonly string[]) => {
      for (const id of ids) void small.announce(eventOf(id));
    },
    /** Ends the groups in flight, until no record waits. Returns the records of all groups. */
    async endAll(): Promise<string[]> {
      await settle();
      for (let done = 0; done < groups.length; await settle()) groups[done++]?.end();
      return groups.flatMap(({ ids }) => ids);
    },
  };
};

/** The number of promises that are settled. */
const counting = (promises: readonly Promise<void>[]) => {
  let settled = 0;
  const count = () => void settled++;
  for (const promise of promises) promise.then(count, count);
  return () => settled;
};

test('an event is in the next group, however many deliveries the events of another organization lead to', async () => {
  const { groups, announce, endAll } = open();
  announce(many('a', 300));
  await settle();
  announce(['b0']);
  groups[0]?.end();
  await settle();
  expect(groups[2]?.ids).toContain('b0');
  // A group has 600 deliveries; the last record may exceed that.
  expect(groups.map(({ ids }) => ids.length)).toEqual([30, 30, 31]);
  expect((await endAll()).toSorted()).toEqual([...many('a', 300), 'b0'].toSorted());
});

test('jobs of an organization stay open while half of the events that may wait are its own', async () => {
  const { small, endAll } = open();
  const announced = (ids: readonly string[]) => counting(ids.map((id) => small.announce(eventOf(id))));
  const ofBusy = announced(many('a', 10_100));
  const ofOther = announced(['b0']);
  await settle();
  expect([ofBusy(), ofOther()]).toEqual([10_000, 1]);
  expect((await endAll()).toSorted()).toEqual([...many('a', 10_100), 'b0'].toSorted());
  expect(ofBusy()).toBe(10_100);
});

test('jobs stay open while the records in the queue have too many events', async () => {
  const { small, endAll } = open();
  const announced = counting(
    Array.from({ length: 20_100 }, (_, index) => small.announce(eventOf(`b${index % 300}`, `${index}`))),
  );
  await settle();
  expect(announced()).toBe(20_000 - 300);
  await endAll();
  expect(announced()).toBe(20_100);
});

test('a record that several jobs name while it waits is published once, with all of its events', async () => {
  const { small, groups, announce, endAll } = open();
  announce(many('b', 400));
  await settle();
  void small.announce(eventOf('c0', 'one'));
  void small.announce(eventOf('c0', 'two'));
  void small.add(refTo('c0'));
  await endAll();
  expect(groups[2]?.records).toMatchObject([{ announced: [{ eventId: 'one' }, { eventId: 'two' }] }]);
});

test('the sweep waits for records that are published soon, and not behind many others', async () => {
  const { small, announce, endAll } = open();
  announce(many('a', 100));
  const behind = counting([small.add(refTo('a-last'))]);
  const soon = counting([small.add(refTo('b0'))]);
  await settle();
  expect([behind(), soon()]).toEqual([1, 0]);
  expect(await endAll()).toContain('a-last');
  expect(soon()).toBe(1);
});

test('an error is reported to the sweep and in the log, and the record can be added again', async () => {
  const { small, groups, errors, endAll } = open();
  const failing = small.add(refTo('a0'));
  await settle();
  groups[0]?.end(new Error('unreachable'));
  await expect(failing).rejects.toThrow('unreachable');
  expect(errors).toHaveLength(1);
  const repeated = small.add(refTo('a0'));
  await endAll();
  await repeated;
});

test('a stop publishes what waits', async () => {
  const { small, announce, endAll } = open();
  announce(many('a', 100));
  const stopped = counting([small.stop()]);
  await settle();
  expect(stopped()).toBe(0);
  expect(await endAll()).toHaveLength(100);
  expect(stopped()).toBe(1);
});
