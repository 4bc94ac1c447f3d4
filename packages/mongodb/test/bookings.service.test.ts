import { createFairQueue } from '@chairside/concurrency';
import { type Appointment, clock, newEvent, newId } from '@chairside/domain';
import type { Db } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestStore, type TestStore } from '../../test-support/src/index.ts';
import { Database } from '../src/driver/database.ts';
import { insertsInto } from '../src/records/record-inserts.ts';
import type { RecordSet } from '../src/records/record-lists.ts';
import { type RecordDocument, shapes } from '../src/records/record-shapes.ts';
import { recordsOf } from '../src/records/records.ts';
import { openAbandonedDrafts } from '../src/schedule/abandoned-drafts.ts';
import { bookingsOf, type CheckTime } from '../src/schedule/bookings.ts';
import { createOccupiedReads } from '../src/schedule/occupied-reads.ts';
import { type Actor, everyOrder, interleave, randomFrom, startActor } from './interleavings.ts';

/** The number of random orders of each scenario. `npm run check:release` sets a higher number. */
const RUNS = Number(process.env.BOOKING_RUNS ?? 8);
const SEED = Number(process.env.BOOKING_SEED ?? Date.now() % 1_000_000);

let testStore: TestStore;
let database: Database;
beforeAll(async () => {
  testStore = await openTestStore();
  database = new Database(testStore.database as Db);
});
afterAll(() => testStore.close());

const CLINIC = 'clinic';
/** All bookings want this time, or the one after it. */
const FIRST = { startTime: '2030-12-02T08:00:00.000Z', endTime: '2030-12-02T09:00:00.000Z' };
const SECOND = { startTime: '2030-12-02T09:00:00.000Z', endTime: '2030-12-02T10:00:00.000Z' };
/** Overlaps both. */
const BOTH = { startTime: FIRST.startTime, endTime: SECOND.endTime };
/** A time that no other booking wants. */
const EARLIER = { startTime: '2030-12-01T08:00:00.000Z', endTime: '2030-12-01T09:00:00.000Z' };
type Time = typeof FIRST;

/** The appointments of an organization of its own, with a number of chairs, seen by one process. */
const worldOf = (chairs: number) => {
  const organizationId = newId();
  const setOf = (own: Database): RecordSet => {
    const collection = own.collection<RecordDocument>('appointments');
    const shape = shapes.appointment;
    return {
      collection,
      streamed: collection,
      insert: insertsInto(collection),
      shape,
      searchState: async () => 'on',
      organizationId,
      cipher: () => testStore.store.ciphers.of(organizationId),
    };
  };
  const versionOf = (kind: 'created' | 'updated' | 'deleted', record: Appointment, eventId = newId()) => ({
    record,
    event: newEvent(
      {
        _id: eventId,
        event: `appointment.${kind}`,
        time: clock.now(),
        author: { principal: { kind: 'system', id: 'test' }, requestId: 'test' },
      },
      record as { clinicId: string },
    ),
    deleted: kind === 'deleted',
  });
  const recordOf = (_id: string, time: Time): Appointment => ({
    _id,
    clinicId: CLINIC,
    ...time,
    status: 'SCHEDULED',
    procedures: [],
    reminders: [],
    createdTime: clock.now().toISOString(),
    lastEditTime: clock.now().toISOString(),
  });
  const isFree: CheckTime<object> = async ({ startTime = '', endTime = '' }, schedule) => {
    const range = { clinicId: CLINIC, from: new Date(startTime), to: new Date(endTime) };
    const spans = await schedule.occupied(range, ({ busy }) => {
      const { starts, ends } = busy.atClinic(60);
      const held = busy.moving.map((some) =>
        some.map((each) => ({ start: Number(each.startTime), end: Number(each.endTime) })),
      );
      return [...[...starts].map((start, index) => [{ start, end: ends[index] ?? 0 }]), ...held];
    });
    // Each entry needs one chair, at any of its times.
    const takenAt = (moment: number) =>
      (spans ?? []).filter((some) => some.some(({ start, end }) => start <= moment && end > moment)).length;
    const [first, last] = [Number(range.from), Number(range.to)];
    const begins = (spans ?? []).flat().map(({ start }) => start);
    const moments = [first, ...begins.filter((start) => start > first && start < last)];
    if (!moments.some((moment) => takenAt(moment) >= chairs)) return 'free';
    return async () => ({});
  };
  const appointments = database.collection<
    RecordDocument & { endTime: Date; startTime: Date; status: string }
  >('appointments');
  const outcomes: string[] = [];
  const noted = async (work: () => Promise<{ outcome: string }>) => {
    const { outcome } = await work();
    outcomes.push(outcome === 'refused' ? 'taken' : outcome);
  };
  const bookings = (own: Database) =>
    bookingsOf({
      database: own,
      set: setOf(own),
      turns: createFairQueue({ atOnce: 1, maxWaiting: 10 }),
      reads: createOccupiedReads(),
    });
  /** The ids of the events that were published, like those of the event log. */
  const published = new Set<string>();

  return {
    outcomes,
    /** Books a new appointment. @param ids those of a request with the same idempotency key */
    book:
      (time: Time, ids = { recordId: newId(), eventId: newId() }) =>
      (own: Database) => {
        const made = versionOf('created', recordOf(ids.recordId, time), ids.eventId);
        const isMade = async () =>
          published.has(ids.eventId) ||
          (await appointments.countDocuments({ _id: ids.recordId, 'outbox._id': ids.eventId })) > 0;
        return noted(() =>
          bookings(own).create<object>(made, async (next, schedule) => {
            if (await isMade()) return 'made';
            const checked = await isFree(next, schedule);
            if (typeof checked !== 'function') return checked;
            return async () => ((await isMade()) ? 'made' : checked());
          }),
        );
      },
    /** Moves an appointment, if the time is free. */
    move: (id: string, time: Time) => (own: Database) =>
      noted(() =>
        bookings(own).edit(id, async ({ record }) => versionOf('updated', { ...record, ...time }), isFree),
      ),
    /** Changes an appointment without a check, as every other request does. */
    change: (id: string, fields: Partial<Appointment>) => (own: Database) =>
      recordsOf<Appointment>(setOf(own)).edit(id, ({ record }) =>
        versionOf('updated', { ...record, ...fields }),
      ),
    /** Deletes an appointment, and publishes its events, so that its document is removed. */
    remove: (id: string) => async (own: Database) => {
      const { outcome } = await recordsOf<Appointment>(setOf(own)).edit(id, ({ record }) =>
        versionOf('deleted', record),
      );
      if (outcome !== 'written') return;
      const stored = await own.collection<RecordDocument>('appointments').findOne({ _id: id });
      for (const { _id } of stored?.outbox ?? []) published.add(_id);
      await own.collection<RecordDocument>('appointments').deleteOne({ _id: id });
    },
    sweep: async (own: Database) => {
      await openAbandonedDrafts(own).remove(new Date(Date.now() + 3_600_000), 1000);
    },
    async plant(time: Time): Promise<string> {
      const record = recordOf(newId(), time);
      await recordsOf<Appointment>(setOf(database)).create(record, versionOf('created', record).event);
      return record._id;
    },
    /** The largest number of visible appointments that overlap. */
    async load(): Promise<number> {
      const found = await appointments
        .find({ organizationId, deletedAt: { $exists: false }, status: 'SCHEDULED' })
        .toArray();
      const loads = found.map(
        ({ startTime }) =>
          found.filter((each) => each.startTime <= startTime && each.endTime > startTime).length,
      );
      return Math.max(0, ...loads);
    },
    /** The number of documents with drafts. */
    drafts: () => appointments.countDocuments({ organizationId, draftAt: { $exists: true } }),
    visible: () => appointments.countDocuments({ organizationId, deletedAt: { $exists: false } }),
  };
};
type World = ReturnType<typeof worldOf>;

const start = (works: readonly ((own: Database) => Promise<unknown>)[]): Promise<Actor[]> =>
  Promise.all(works.map((work) => startActor(database, work)));

/** Runs a scenario in random orders. The message of a failure names the seed of the order. */
const inRandomOrders = async (scenario: (choose: (of: number) => number) => Promise<void>): Promise<void> => {
  for (let run = 0; run < RUNS; run++) {
    const seed = SEED + run;
    await scenario(randomFrom(seed)).catch((error: unknown) => {
      throw new Error(`BOOKING_SEED=${seed}`, { cause: error });
    });
  }
};

/** Two bookings of one chair. @returns the choices of the order */
const pair = async (choose: (of: number) => number) => {
  const world = worldOf(1);
  await interleave(await start([world.book(EARLIER)]), () => 0);
  const choices = await interleave(await start([world.book(FIRST), world.book(BOTH)]), choose);
  expect(world.outcomes.toSorted()).toEqual(['created', 'created', 'taken']);
  expect([await world.load(), await world.drafts(), await world.visible()]).toEqual([1, 0, 2]);
  return choices;
};

test('two bookings of one chair: one gets it, in every order of their statements in the release check', async () => {
  if (process.env.BOOKING_RUNS === undefined)
    return inRandomOrders(async (choose) => void (await pair(choose)));
  // Each booking has at least five statements.
  expect(await everyOrder(pair)).toBeGreaterThan(100);
});

/** The scenarios with three actors. At most one of the bookings at a time fits. */
const trios: Readonly<
  Record<string, (world: World) => Promise<readonly ((own: Database) => Promise<unknown>)[]>>
> = {
  'three bookings of one chair': async (world) => [world.book(FIRST), world.book(BOTH), world.book(SECOND)],
  'two bookings, and the sweep, which takes them for abandoned': async (world) => [
    world.book(FIRST),
    world.book(FIRST),
    world.sweep,
  ],
  'a booking, and an appointment that moves to its time': async (world) => {
    const id = await world.plant(SECOND);
    return [world.book(FIRST), world.move(id, FIRST), world.sweep];
  },
  'two guarded moves of one appointment, and a booking': async (world) => {
    const id = await world.plant(SECOND);
    return [world.move(id, FIRST), world.move(id, BOTH), world.book(FIRST)];
  },
  'a guarded move, an unguarded change of the same appointment, and a booking': async (world) => {
    const id = await world.plant(SECOND);
    return [world.move(id, FIRST), world.change(id, { reminders: [{ a: 1 }] }), world.book(FIRST)];
  },
  'a booking at the time of an appointment that is canceled': async (world) => {
    const id = await world.plant(FIRST);
    return [world.book(FIRST), world.change(id, { status: 'CANCELED' }), world.book(BOTH)];
  },
};

test.each(Object.entries(trios))('%s: never more than the chairs', async (_name, works) => {
  const outcomes = new Set<string>();
  await inRandomOrders(async (choose) => {
    const world = worldOf(1);
    await interleave(await start(await works(world)), choose);
    expect(await world.load()).toBeLessThanOrEqual(1);
    expect(await world.drafts()).toBe(0);
    for (const outcome of world.outcomes) outcomes.add(outcome);
  });
  // The orders make a difference: some bookings succeed, and some do not.
  expect(outcomes.size).toBeGreaterThan(1);
});

test('two requests with one idempotency key, and a deletion: the booking is made once, and stays deleted', async () => {
  await inRandomOrders(async (choose) => {
    const world = worldOf(1);
    const ids = { recordId: newId(), eventId: newId() };
    const actors = await start([world.book(FIRST, ids), world.book(FIRST, ids)]);
    const [first] = actors as [Actor, Actor];
    // The second request stands still somewhere while the first one makes the booking.
    for (let step = choose(6); step > 0; step--) await actors[1]?.step();
    while (!first.hasEnded()) await first.step();
    await world.remove(ids.recordId)(database);
    await interleave(actors, choose);
    expect(world.outcomes.toSorted()).toEqual(['created', 'exists']);
    expect(await world.visible()).toBe(0);
    expect(await world.drafts()).toBe(0);
  });
});

test('a process that stops between any two statements blocks its time until the sweep, and books nothing when it goes on', async () => {
  await inRandomOrders(async (choose) => {
    const world = worldOf(1);
    const [stopped, other] = (await start([world.book(FIRST), world.book(FIRST)])) as [Actor, Actor];
    for (let step = choose(6); step > 0 && !stopped.hasEnded(); step--) await stopped.step();
    await interleave([other], choose);
    expect(await world.load()).toBeLessThanOrEqual(1);
    await world.sweep(database);
    // Now the time is free, unless one of both has it.
    const late = await startActor(database, world.book(FIRST));
    const wasFree = (await world.load()) === 0;
    await interleave([late], choose);
    expect(world.outcomes.at(-1)).toBe(wasFree ? 'created' : 'taken');
    // The stopped process goes on, whatever it was about to do.
    await interleave([stopped], choose);
    expect([await world.load(), await world.drafts(), await world.visible()]).toEqual([1, 0, 1]);
    expect(world.outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1);
  });
});

test('the draft of a new appointment is in no read, and an abandoned one is removed', async () => {
  const world = worldOf(1);
  const [booking] = (await start([world.book(FIRST)])) as [Actor];
  await booking.step();
  expect([await world.drafts(), await world.visible()]).toEqual([1, 0]);
  const [draft] = await database
    .collection('appointments')
    .find({ draftAt: { $exists: true } })
    .toArray();
  // It has nothing that a patient could be known by.
  expect(Object.keys(draft ?? {}).toSorted()).toEqual([
    '_id',
    'deletedAt',
    'draftAt',
    'drafts',
    'organizationId',
    'revision',
  ]);
  const store = testStore.store.organization(draft?.organizationId);
  expect(await store.appointments.find(String(draft?._id))).toBeUndefined();
  expect(await store.appointments.exists(String(draft?._id))).toBe(false);
  expect(await Array.fromAsync(store.appointments.list({}))).toEqual([]);
  expect(await Array.fromAsync(store.appointments.page({}, { limit: 10 }).rows)).toEqual([]);
  const { abandonedDrafts, administration, outbox } = testStore.store.everyOrganization;
  const overdue = await outbox.overdue(new Date(Date.now() + 3_600_000), 10_000);
  expect(overdue.filter(({ recordId }) => recordId === String(draft?._id))).toEqual([]);
  const run = { id: 'test', organizationId: draft?.organizationId, by: 'test' };
  expect(await Array.fromAsync(administration.export(run, 'appointment'))).toEqual([]);
  expect(await abandonedDrafts.remove(new Date(Date.now() - 3_600_000), 10)).toBe(0);
  expect(await abandonedDrafts.remove(new Date(Date.now() + 3_600_000), 10)).toBe(1);
  expect(await world.drafts()).toBe(0);
  await interleave([booking], () => 0);
  expect(world.outcomes).toEqual(['created']);
});

test('a booking that is refused does not prolong what a killed process has left at the appointment', async () => {
  const world = worldOf(1);
  const id = await world.plant(SECOND);
  await world.plant(FIRST);
  const [killed] = await start([world.move(id, EARLIER)]);
  const hold = { 'holds.recordId': id };
  while ((await database.collection('bookings').countDocuments(hold)) === 0) await killed?.step();
  const old = new Date(Date.now() - 60_000);
  await database
    .collection<{ _id: string }>('appointments')
    .updateOne({ _id: id }, { $set: { draftAt: old } });
  await interleave(await start([world.move(id, FIRST)]), () => 0);
  expect(world.outcomes).toEqual(['taken']);
  expect(await openAbandonedDrafts(database).remove(new Date(Date.now() - 30_000), 10)).toBe(1);
  await interleave(await start([world.book(EARLIER)]), () => 0);
  expect(world.outcomes).toEqual(['taken', 'created']);
});

test('the document of the bookings has only those whose appointments are being written', async () => {
  const world = worldOf(3);
  for (const time of [FIRST, SECOND, FIRST]) await interleave(await start([world.book(time)]), () => 0);
  const [last] = await database
    .collection('appointments')
    .find({}, { sort: { _id: -1 }, limit: 1 })
    .toArray();
  const document = await database
    .collection<{ _id: string }>('bookings')
    .findOne({ _id: last?.organizationId });
  expect(document).toMatchObject({ revision: 3, holds: [{ recordId: last?._id }] });
});
