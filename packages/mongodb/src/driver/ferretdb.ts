import { setTimeout as sleep } from 'node:timers/promises';
/**
 * Workarounds for FerretDB, for DocumentDB and for the PostgreSQL below them. MongoDB itself does not need them. Other
 * code that is written for FerretDB has a comment at its place, such as `hasOutbox` (outbox.ts).
 */
import { type Db, type Document, type Filter, MongoServerError, type WithId } from 'mongodb';
import type { Collection } from './database.ts';

/**
 * Whether the database has no views. FerretDB 2.7 responds with success to the command that creates a view, but creates
 * an empty collection. Reads through it would find nothing.
 */
export const hasNoViews = async (database: Db): Promise<boolean> =>
  'ferretdb' in (await database.admin().command({ buildInfo: 1 }));

/** The messages of FerretDB's own errors when its PostgreSQL is unreachable, or ends while it works on a statement. */
const POSTGRESQL_UNREACHABLE =
  /failed to connect to|terminating connection|unexpected EOF|\.s\.PGSQL\.|the database system is (starting up|shutting down|in recovery)/;

/** Whether FerretDB cannot reach its PostgreSQL. For the caller, the database is then unavailable. */
export const isPostgresqlUnreachable = (error: unknown): boolean =>
  error instanceof MongoServerError &&
  error.codeName === 'InternalError' &&
  POSTGRESQL_UNREACHABLE.test(error.message);

/** Whether the disk of FerretDB's PostgreSQL is full. FerretDB has no error code for this, MongoDB has 14031. */
export const isPostgresqlFull = ({ message }: { message?: unknown }): boolean =>
  /^could not extend file|No space left on device/.test(String(message));

/** The messages of DocumentDB when it creates a database or a collection for a statement and does not find it then. */
const IN_THE_MAKING =
  /database sentinel collection|^Unable to create the specified collection|^The specified collection '.+' cannot be found/;

/**
 * Whether DocumentDB did not find a database or a collection that it was creating for this statement. Two processes that
 * create the same one cause it, and it was seen twice with one process on a busy machine, once just after the database
 * was dropped: a connection to PostgreSQL may remember the table of a dropped collection of the same name. The statement
 * has written nothing, and a retry succeeds.
 */
export const isDatabaseInTheMaking = (error: unknown): boolean =>
  error instanceof MongoServerError && IN_THE_MAKING.test(error.message);

/** Maximum number of retries of a statement. */
const MAX_RETRIES = 10;
/** The longest pause before the first retry. It doubles with each further one, up to a second. */
const RETRY_REST_MS = 10;
const MAX_RETRY_REST_MS = 1000;

/** Retries a statement whose error says that it has changed nothing, and that a retry may succeed. */
const retried = async <T>(
  statement: () => Promise<T>,
  isPassing: (error: unknown) => boolean,
): Promise<T> => {
  for (let failures = 0; ; ) {
    try {
      return await statement();
    } catch (error) {
      if (!isPassing(error) || ++failures > MAX_RETRIES) throw error;
      // Statements that try again at the same moment would meet again. On a busy machine, PostgreSQL takes longer, and so
      // must the pauses.
      const longest = Math.min(RETRY_REST_MS * 2 ** (failures - 1), MAX_RETRY_REST_MS);
      await sleep(Math.random() * longest);
    }
  }
};

/** Retries a statement that creates its collection, until DocumentDB finds the collection. */
export const untilMade = <T>(statement: () => Promise<T>): Promise<T> =>
  retried(statement, isDatabaseInTheMaking);

/** The message of a statement, or of a write of a group, that PostgreSQL has ended because of a deadlock. */
export const DEADLOCK = 'deadlock detected';
/** Whether PostgreSQL has ended the statement because of a deadlock. It has changed nothing. */
export const isDeadlock = (error: unknown): boolean =>
  error instanceof MongoServerError && error.message === DEADLOCK;

/**
 * Retries a statement that PostgreSQL has aborted because of a deadlock with another statement. An aborted statement
 * has changed nothing. MongoDB has no such deadlocks, because it locks each document only while it writes that
 * document.
 */
export const untilNoDeadlock = <T>(statement: () => Promise<T>): Promise<T> => retried(statement, isDeadlock);

/** The `updateMany` of a collection whose documents concurrent statements may write, tried again after a deadlock. */
export const updatesUntilNoDeadlock =
  <D extends Document>(collection: Collection<D>): Collection<D>['updateMany'] =>
  (...given) =>
    untilNoDeadlock(() => collection.updateMany(...given));

/** Documents in the order of their keys, none of which two have. */
export const inOrderOf = <D>(documents: readonly D[], keyOf: (document: D) => string): D[] =>
  documents
    .map((document) => ({ document, key: keyOf(document) }))
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ document }) => document);

/**
 * Sorts documents into the order in which all processes insert them. Otherwise, processes that insert the same
 * documents in different orders can wait for each other forever (observed with three inserts of the same 200
 * documents).
 */
export const inInsertOrder = <D extends { _id: string }>(documents: readonly D[]): D[] =>
  inOrderOf(documents, ({ _id }) => _id);

/**
 * Finds the document with this unique key. `findOne` is not used, because it sets a limit. PostgreSQL's planner does
 * not know that the key is unique. With a limit, it may scan the collection until it finds a match.
 */
export const findUnique = async <D extends object>(
  collection: Collection<D>,
  filter: Filter<D>,
  projection: Document = {},
): Promise<WithId<D> | undefined> => (await collection.find(filter, { projection }).toArray())[0];

/**
 * Deletes the document with this unique key. If another caller writes the document at the same time, `deleteOne` may
 * report that it deleted nothing (observed once in ten tries), so a `deleteMany` follows. `deleteOne` comes first,
 * because the driver retries it when a primary steps down.
 *
 * @returns whether a document was deleted
 */
export const deleteUnique = async <D extends object>(
  collection: Collection<D>,
  filter: Filter<D>,
): Promise<boolean> =>
  (await collection.deleteOne(filter)).deletedCount > 0 ||
  (await collection.deleteMany(filter)).deletedCount > 0;
