import {
  type Collection,
  type Db,
  type FindCursor,
  MongoBulkWriteError,
  MongoServerError,
  type OptionalUnlessRequiredId,
} from 'mongodb';
import { inInsertOrder } from './ferretdb.ts';

const DUPLICATE_KEY = 11000;
/** Whether a write was refused because a document with this unique key exists. */
export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === DUPLICATE_KEY;

/** The database's own clock: ages are judged by it, so that clocks of processes need not agree. */
export const databaseTime = async (database: Db): Promise<Date> => {
  const { localTime } = await database.admin().command({ hello: 1 });
  return localTime;
};

/**
 * Which writes of a group met a document with the same unique key.
 *
 * @returns their indexes; undefined when the group failed for any other reason
 */
export const duplicatesIn = (error: unknown): number[] | undefined => {
  if (!(error instanceof MongoBulkWriteError)) return undefined;
  const failures = [error.writeErrors].flat();
  const isOnlyDuplicates =
    // None at all: the writes did not reach the database.
    failures.length > 0 &&
    failures.every(({ code }) => code === DUPLICATE_KEY) &&
    error.result.getWriteConcernError() === undefined;
  return isOnlyDuplicates ? failures.map(({ index }) => index) : undefined;
};

/**
 * Inserts the documents whose `_id` is not there yet, in one round trip.
 *
 * @returns the ids of those that were there already
 * @throws what the driver throws for any other reason than a duplicate key
 */
export const insertNew = async <D extends { _id: string }>(
  collection: Collection<D>,
  documents: readonly D[],
): Promise<Set<string>> => {
  if (documents.length === 0) return new Set();
  const sorted = inInsertOrder(documents);
  try {
    await collection.insertMany(sorted as OptionalUnlessRequiredId<D>[], { ordered: false });
    return new Set();
  } catch (error) {
    const met = duplicatesIn(error);
    if (met === undefined) throw error;
    return new Set(met.map((index) => (sorted[index] as D)._id));
  }
};

/**
 * Has a query that finds at most so many documents answer with all of them at once: by itself the first answer has at most
 * 101, and the rest costs a further round trip. One more, so that the answer says that it was all.
 */
export const atOnce = (count: number): { batchSize: number } => ({ batchSize: count + 1 });

/** Reads what a query finds, row by row. Abandoning the iteration closes the database's cursor. */
export async function* rowsOf<D, R>(
  cursor: FindCursor<D>,
  toRow: (document: D) => R,
): AsyncGenerator<R, void> {
  try {
    for await (const document of cursor) yield toRow(document);
  } finally {
    await cursor.close();
  }
}
