import { MAX_APPOINTMENT_DAYS, type NewEvent } from '@chairside/domain';
import type { Collection, Filter } from 'mongodb';
import { isDuplicateKey } from './database.ts';
import { type RecordDocument, type RecordShape, storedFields, toFields, toRecord } from './documents.ts';

/** The most events that may wait in one record; a write beyond is refused. */
export const MAX_UNPUBLISHED_EVENTS = 100;
const MAX_WRITE_TRIES = 30;
const MAX_JITTER = 20;
const DAY = 86_400_000;

export type Stored<R> = { record: R; revision: number };

/** What narrows a list; all given conditions must hold. */
export type RecordFilter = {
  clinicId?: string | undefined;
  patientId?: string | undefined;
  email?: string | undefined;
  ids?: readonly string[] | undefined;
  /** Half-open overlap with appointments: kept if it ends after `from` and starts before `to`. ISO 8601. */
  from?: string | undefined;
  to?: string | undefined;
};

/** The next version of a record with the event that tells of it; `deleted` ends the record. */
export type Change<R> = { record: R; event: NewEvent; deleted?: boolean };

export type WriteResult<R> =
  | { outcome: 'written'; record: R; revision: number; event: NewEvent }
  /** There is no such record in this organization. */
  | { outcome: 'missing' }
  /** The record is not at the revision that the caller named. */
  | { outcome: 'stale' }
  /** Too many writers at once, or too many unpublished events: try again later. */
  | { outcome: 'busy' };

const visible = { deletedAt: { $exists: false } };

const overlap = (from: string | undefined, to: string | undefined): Filter<RecordDocument> => {
  const before = to === undefined ? {} : { $lt: new Date(to) };
  if (from === undefined) return { startTime: { $exists: true, ...before } };
  const start = new Date(from);
  return {
    // No appointment is longer than the maximum, so the range on startTime alone bounds the scan.
    startTime: { $gt: new Date(start.getTime() - MAX_APPOINTMENT_DAYS * DAY - 1), ...before },
    $or: [{ endTime: { $gt: start } }, { endTime: { $exists: false }, startTime: { $gte: start } }],
  };
};

const conditions = (filter: RecordFilter): Filter<RecordDocument> => ({
  ...(filter.clinicId !== undefined && { clinicId: filter.clinicId }),
  ...(filter.patientId !== undefined && { patientId: filter.patientId }),
  ...(filter.email !== undefined && { emailLowerCase: filter.email.toLowerCase() }),
  ...(filter.ids !== undefined && { _id: { $in: [...filter.ids] } }),
  ...((filter.from !== undefined || filter.to !== undefined) && overlap(filter.from, filter.to)),
});

/** The records of one kind in one organization. */
export type Records<R> = {
  find(id: string): Promise<Stored<R> | undefined>;
  /** Whether the record exists, without reading it. */
  exists(id: string): Promise<boolean>;
  /**
   * Streams the records in the kind's stable order. Abandoning the iteration closes the database's cursor.
   *
   * @param fields names of the fields to read; `_id` is always read; all when absent
   */
  list(filter: RecordFilter, fields?: readonly string[]): AsyncIterable<R>;
  /**
   * Stores a record and its event in one write.
   *
   * @returns 'exists' when there is a record with this `_id`: this very write was made before
   */
  create(record: R, event?: NewEvent): Promise<'created' | 'exists'>;
  /**
   * Replaces a record by its next version and stores the event, in one write that holds only if nobody wrote between.
   *
   * @param change computes the next version; called again for each try; what it throws is passed on
   * @param revisions the revisions that the caller accepts; any when absent
   */
  edit(
    id: string,
    change: (current: Stored<R>) => Change<R> | Promise<Change<R>>,
    revisions?: readonly number[],
  ): Promise<WriteResult<R>>;
};

/** @param organizationId bound into every query of the result */
export const recordsOf = <R extends { _id: string }>(
  collection: Collection<RecordDocument>,
  shape: RecordShape,
  organizationId: string,
): Records<R> => {
  const one = (id: string): Filter<RecordDocument> => ({ organizationId, _id: id, ...visible });
  const allFields = Object.fromEntries([...Object.keys(shape.fields), 'revision'].map((field) => [field, 1]));

  const find = async (id: string): Promise<Stored<R> | undefined> => {
    const document = await collection.findOne(one(id), { projection: allFields });
    return document === null
      ? undefined
      : { record: toRecord<R>(shape, document), revision: document.revision };
  };

  const write = async (current: Stored<R>, { record, event, deleted }: Change<R>): Promise<boolean> => {
    const fields = toFields(shape, record);
    delete fields._id;
    const cleared = storedFields(shape).filter((field) => field !== '_id' && fields[field] === undefined);
    const { matchedCount } = await collection.updateOne(
      {
        ...one(current.record._id),
        revision: current.revision,
        [`outbox.${MAX_UNPUBLISHED_EVENTS - 1}`]: { $exists: false },
      },
      {
        $set: { ...fields, ...(deleted && { deletedAt: event.time }) },
        ...(cleared.length > 0 && {
          $unset: Object.fromEntries(cleared.map((field) => [field, ''] as const)),
        }),
        $inc: { revision: 1 },
        $push: { outbox: event },
        $min: { outboxAt: event.time },
      },
    );
    return matchedCount === 1;
  };

  return {
    find,

    exists: async (id) => (await collection.findOne(one(id), { projection: { _id: 1 } })) !== null,

    list: (filter, fields) => ({
      async *[Symbol.asyncIterator]() {
        const projection = Object.fromEntries(
          [...(fields ?? Object.keys(shape.fields)), '_id'].map((name) => [name, 1]),
        );
        const cursor = collection.find(
          { organizationId, ...conditions(filter), ...visible },
          { projection, sort: { ...shape.sort } },
        );
        try {
          for await (const document of cursor) yield toRecord<R>(shape, document);
        } finally {
          await cursor.close();
        }
      },
    }),

    async create(record, event) {
      const document = {
        ...toFields(shape, record),
        _id: record._id,
        organizationId,
        revision: 1,
        ...(event !== undefined && { outbox: [event], outboxAt: event.time }),
      };
      try {
        await collection.insertOne(document as unknown as RecordDocument);
        return 'created';
      } catch (error) {
        if (isDuplicateKey(error)) return 'exists';
        throw error;
      }
    },

    async edit(id, change, revisions) {
      let missed: number | undefined;
      for (let tries = 0; tries < MAX_WRITE_TRIES; tries++) {
        const current = await find(id);
        if (current === undefined) return { outcome: 'missing' };
        if (revisions !== undefined && !revisions.includes(current.revision)) return { outcome: 'stale' };
        // Missed although nobody wrote between: it is the outbox that is full.
        if (missed === current.revision) return { outcome: 'busy' };
        const next = await change(current);
        if (await write(current, next)) {
          return {
            outcome: 'written',
            record: next.record,
            revision: current.revision + 1,
            event: next.event,
          };
        }
        missed = current.revision;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_JITTER));
      }
      return { outcome: 'busy' };
    },
  };
};
