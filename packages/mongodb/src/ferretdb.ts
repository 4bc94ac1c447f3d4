/**
 * Everything that is as it is because of FerretDB, DocumentDB or PostgreSQL below them. On MongoDB itself it is
 * harmless and not needed. Two queries are worded for them where they stand: `hasOutbox` (outbox.ts) and that for the next
 * Deliveries of a redelivery (redeliveries.ts).
 */
import { type Collection, type Document, type Filter, MongoServerError, type WithId } from 'mongodb';

/** What FerretDB says in an error of its own of a PostgreSQL that it has lost or does not find. */
const POSTGRESQL_AWAY =
  /failed to connect to|terminating connection|\.s\.PGSQL\.|the database system is (starting up|shutting down|in recovery)/;

/** Whether FerretDB has lost its PostgreSQL: to a caller the database is away. */
export const isPostgresqlAway = (error: unknown): boolean =>
  error instanceof MongoServerError &&
  error.codeName === 'InternalError' &&
  POSTGRESQL_AWAY.test(error.message);

/**
 * Whether somebody else was making this database at the same moment: DocumentDB fails one of those who make its first
 * collection. Trying again helps.
 */
export const isDatabaseInTheMaking = (error: unknown): boolean =>
  error instanceof MongoServerError && error.message.includes('database sentinel collection');

/** How often a statement is repeated that PostgreSQL has ended for a deadlock. */
const MAX_DEADLOCKS = 10;

/**
 * Repeats a statement that PostgreSQL has ended because it and another one waited for each other's documents: nothing of
 * it was done. MongoDB locks a document only while it writes it, and has no such deadlocks.
 */
export const untilNoDeadlock = async <T>(statement: () => Promise<T>): Promise<T> => {
  for (let deadlocks = 0; ; ) {
    try {
      return await statement();
    } catch (error) {
      const isDeadlock = error instanceof MongoServerError && error.message === 'deadlock detected';
      if (!isDeadlock || ++deadlocks > MAX_DEADLOCKS) throw error;
    }
  }
};

/**
 * Documents in the one order in which all processes insert them: two that insert the same ones in different orders wait
 * for each other without end (seen with three inserts of the same 200).
 */
export const inInsertOrder = <D extends { _id: string }>(documents: readonly D[]): D[] =>
  documents.toSorted((one, other) => (one._id < other._id ? -1 : 1));

/**
 * The one document with this unique key. Without the limit of findOne, which makes PostgreSQL's planner, as it does not
 * know the key to be unique, read through the collection until it meets one.
 */
export const findUnique = async <D extends object>(
  collection: Collection<D>,
  filter: Filter<D>,
  projection: Document = {},
): Promise<WithId<D> | undefined> => (await collection.find(filter, { projection }).toArray())[0];

/**
 * Deletes the one document with this unique key. A deleteOne that meets a write of the same document reports that it
 * deleted none (seen, one in ten), so what was not there is deleted once more, as one of many. deleteOne comes
 * first, because the driver repeats it when a primary steps down.
 *
 * @returns whether there was one
 */
export const deleteUnique = async <D extends object>(
  collection: Collection<D>,
  filter: Filter<D>,
): Promise<boolean> =>
  (await collection.deleteOne(filter)).deletedCount > 0 ||
  (await collection.deleteMany(filter)).deletedCount > 0;
