import { clock } from '@chairside/domain';
import {
  type Document,
  type Filter,
  MongoBulkWriteError,
  MongoServerError,
  type OptionalUnlessRequiredId,
  type UpdateFilter,
} from 'mongodb';
import type { Collection, Database } from './database.ts';
import { DEADLOCK, inInsertOrder, untilMade } from './ferretdb.ts';

/** The error code of a write that was refused because a document with the same unique key exists. */
export const DUPLICATE_KEY = 11000;
/** Whether a write was refused because a document with the same unique key exists. */
export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === DUPLICATE_KEY;

/**
 * Reads the database's own clock, and corrects the clock of this process by it. Ages are measured by the database's
 * clock, because the clocks of machines may differ.
 */
export const databaseTime = async (database: Database): Promise<Date> => {
  const askedAt = performance.now();
  const { localTime: time } = await database.driver.admin().command({ hello: 1 });
  clock.correct({ time, askedAt, answeredAt: performance.now() });
  return time;
};

/**
 * The tolerance for the end of a lease or a pause, in milliseconds. One that ends later than a valid one by more than
 * this was written while a clock was ahead.
 */
export const CLOCK_LEAP_MS = 60_000;

/**
 * The option of a statement about documents with certain ids. Without it, MongoDB may use another index whose plan was
 * good for earlier values, and read many more documents.
 */
export const byId = { hint: { _id: 1 } } as const;

/**
 * Finds the writes of a group that failed individually.
 *
 * @returns their error codes by index; all other writes succeeded. Undefined if the group failed as a whole
 */
export const failuresIn = (error: unknown): Map<number, unknown> | undefined => {
  if (!(error instanceof MongoBulkWriteError)) return undefined;
  const failures = [error.writeErrors].flat();
  // If no individual write failed, the group failed as a whole. After a write concern error, even the writes that
  // succeeded may be lost.
  if (failures.length === 0 || error.result.getWriteConcernError() !== undefined) return undefined;
  return new Map(failures.map(({ index, code }) => [index, code]));
};

/**
 * Finds the writes of a group that failed because a document with the same unique key exists.
 *
 * @returns their indexes; undefined if a write or the group failed for another reason
 */
export const duplicatesIn = (error: unknown): number[] | undefined => {
  const failures = failuresIn(error);
  if (failures === undefined || [...failures.values()].some((code) => code !== DUPLICATE_KEY))
    return undefined;
  return [...failures.keys()];
};

/** The indexes of the writes of a group that PostgreSQL has ended because of a deadlock. They have changed nothing. */
export const deadlocksIn = (error: unknown): ReadonlySet<number> =>
  error instanceof MongoBulkWriteError
    ? new Set([error.writeErrors].flat().flatMap(({ index, errmsg }) => (errmsg === DEADLOCK ? [index] : [])))
    : new Set();

/** Whether writes of a group failed only because of other callers: of a duplicate key, or of a deadlock. */
export const failedForOthers = (error: unknown): boolean => {
  const failures = failuresIn(error);
  if (failures === undefined) return false;
  const deadlocks = deadlocksIn(error);
  return [...failures].every(([index, code]) => code === DUPLICATE_KEY || deadlocks.has(index));
};

/**
 * Inserts the documents whose `_id` does not exist yet, in one round trip.
 *
 * @returns the ids that already existed
 * @throws the driver's error, unless it reports duplicate keys only
 */
export const insertNew = async <D extends { _id: string }>(
  collection: Collection<D>,
  documents: readonly D[],
): Promise<Set<string>> => {
  if (documents.length === 0) return new Set();
  const sorted = inInsertOrder(documents);
  try {
    await untilMade(() => collection.insertMany(sorted as OptionalUnlessRequiredId<D>[], { ordered: false }));
    return new Set();
  } catch (error) {
    const met = duplicatesIn(error);
    if (met === undefined) throw error;
    return new Set(met.map((index) => (sorted[index] as D)._id));
  }
};

/** A document to update, or to insert if it does not exist. */
type Upsert<D extends Document> = { filter: Filter<D>; update: UpdateFilter<D> };

/**
 * Updates documents by unique keys, or inserts those that do not exist, in one round trip. If another caller inserts a
 * document at the same moment, the update is repeated and finds it.
 */
export const upsertAll = async <D extends Document>(
  collection: Collection<D>,
  upserts: readonly Upsert<D>[],
): Promise<void> => {
  if (upserts.length === 0) return;
  const operations = upserts.map((each) => ({ updateOne: { ...each, upsert: true } }));
  const options = { ordered: false };
  await collection.bulkWrite(operations, options).catch(async (error: unknown) => {
    const met = duplicatesIn(error);
    if (met === undefined) throw error;
    await collection.bulkWrite(
      operations.filter((_operation, index) => met.includes(index)),
      options,
    );
  });
};

/**
 * Options with which the first response to a query contains all of its documents, of which there are at most `count`.
 * By default, the first response contains at most 101 documents, and the rest costs another round trip. The batch size
 * is `count` plus one, so that the response also indicates that no document is left.
 */
export const atOnce = (count: number): { batchSize: number } => ({ batchSize: count + 1 });

/**
 * The options of a search for at most `limit` documents in any order. The PostgreSQL below FerretDB expects that half of a
 * collection matches a range. Without a hint, it reads documents until it has found enough: all of them, if there is no
 * work.
 *
 * @param hint the name of the index to read
 */
export const atMost = (limit: number, hint: string) => ({ limit, hint, ...atOnce(limit) });
