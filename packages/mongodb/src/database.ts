import type { Tracer } from '@chairside/domain';
import {
  type Collection,
  type Db,
  type Document,
  type Filter,
  type FindCursor,
  MongoBulkWriteError,
  MongoClient,
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  type OptionalUnlessRequiredId,
  type WithId,
} from 'mongodb';
import { traceCommands } from './command-spans.ts';

const DUPLICATE_KEY = 11000;
/** How long to look for a database before a caller is told that it is away, in milliseconds. */
const SERVER_SELECTION_TIMEOUT = 1500;

/** Whether a write was refused because a document with this unique key exists. */
export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === DUPLICATE_KEY;

/** What the system says of a connection that breaks while a command is written; the driver hands it on as it is. */
const BROKEN_CONNECTION = ['ECONNRESET', 'EPIPE'];

/** What FerretDB says in an error of its own of a PostgreSQL that it has lost or does not find. */
const POSTGRESQL_AWAY =
  /failed to connect to|terminating connection|\.s\.PGSQL\.|the database system is (starting up|shutting down|in recovery)/;

/** Whether an operation failed because the database is away, slow or changing its primary: trying again may help. */
export const isDatabaseAway = (error: unknown): boolean => {
  if (error instanceof MongoServerError && error.codeName === 'InternalError') {
    return POSTGRESQL_AWAY.test(error.message);
  }
  // A group of writes that did not reach the database is told like one of which some failed.
  if (error instanceof MongoBulkWriteError) return isDatabaseAway(error.errorResponse);
  if (!(error instanceof MongoError)) {
    return (
      error instanceof Error && BROKEN_CONNECTION.includes(String((error as NodeJS.ErrnoException).code))
    );
  }
  return (
    error instanceof MongoServerSelectionError ||
    error instanceof MongoNetworkError ||
    error.hasErrorLabel('RetryableWriteError') ||
    error.name === 'MongoWaitQueueTimeoutError' ||
    error.name === 'MongoPoolClearedError'
  );
};

/**
 * Whether somebody else was making this database at the same moment: DocumentDB fails one of those who make its first
 * collection. Trying again helps.
 */
export const isDatabaseInTheMaking = (error: unknown): boolean =>
  error instanceof MongoServerError && error.message.includes('database sentinel collection');

/** A command that was sent to the database, such as `find`, with its document. */
export type CommandListener = (name: string, command: Document) => void;

export type ClientOptions = {
  url: string;
  /** Shown in the database's logs. */
  appName: string;
  /** How long the database may be silent in an operation, in milliseconds; absent: as long as it likes. */
  operationTimeout?: number;
  /** Told of every command that is sent, to count or to explain them. */
  onCommand?: CommandListener;
  /** Told of every command within a span, by its name and collection. */
  tracer?: Tracer | undefined;
};

/**
 * A client for this URL that is not connected yet, so that a process can start before its database. Writes are acknowledged by a majority and journaled.
 */
export const createClient = ({
  url,
  appName,
  operationTimeout,
  onCommand,
  tracer,
}: ClientOptions): MongoClient => {
  const client = new MongoClient(url, {
    appName,
    serverSelectionTimeoutMS: SERVER_SELECTION_TIMEOUT,
    connectTimeoutMS: SERVER_SELECTION_TIMEOUT,
    waitQueueTimeoutMS: SERVER_SELECTION_TIMEOUT,
    maxPoolSize: 50,
    ignoreUndefined: true,
    // The driver's timeoutMS has no effect; what is silent for so long counts as away.
    ...(operationTimeout !== undefined && { socketTimeoutMS: operationTimeout }),
    writeConcern: { w: 'majority', journal: true },
    monitorCommands: onCommand !== undefined || tracer !== undefined,
  });
  client.on('commandStarted', ({ commandName, command }) => onCommand?.(commandName, command));
  if (tracer !== undefined) traceCommands(client, tracer);
  return client;
};

/** How often a statement is repeated that PostgreSQL has ended for a deadlock. */
const MAX_DEADLOCKS = 10;

/**
 * Repeats a statement that PostgreSQL below FerretDB has ended because it and another one waited for each other's
 * documents: nothing of it was done. MongoDB locks a document only while it writes it, and has no such deadlocks.
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
  // In one order in all processes: below FerretDB two that insert the same documents in different orders wait for each
  // other without end (seen with three inserts of the same 200).
  const sorted = documents.toSorted((one, other) => (one._id < other._id ? -1 : 1));
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

/**
 * The one document with this unique key. Without the limit of findOne, which makes a planner that does not know the
 * key to be unique (that of PostgreSQL below FerretDB) read through the collection until it meets one.
 */
export const findUnique = async <D extends object>(
  collection: Collection<D>,
  filter: Filter<D>,
  projection: Document = {},
): Promise<WithId<D> | undefined> => (await collection.find(filter, { projection }).toArray())[0];

/**
 * Deletes the one document with this unique key. As one of many: below FerretDB a deleteOne or findOneAndDelete that
 * meets a write of the same document deletes nothing and says that there was none (seen, one in ten).
 *
 * @returns whether there was one
 */
export const deleteUnique = async <D extends object>(
  collection: Collection<D>,
  filter: Filter<D>,
): Promise<boolean> => (await collection.deleteMany(filter)).deletedCount > 0;
