import { createFairQueue, QueueFullError } from '@chairside/work';
import type { Db, FindCursor, MongoOptions } from 'mongodb';
import { OverloadedError } from '../driver/unavailable.ts';
import { MAX_OPERATIONS, OPTIONS_AT, withChanged, withCollections } from './client.ts';

/** The part of a process's connections that the operations of all organizations may use, and those of one of them. */
const PART_OF_ALL = 0.8;
const PART_OF_ONE = 0.4;
/** Maximum number of operations that wait for their turn. */
const MAX_WAITING = 2000;
/** The number of rows of a batch that are parsed at once. */
const PARSED_AT_ONCE = 10;

/** The limits of the turns in a process with this maximum number of connections. */
export const operationTurnLimits = (connections: number) => ({
  atOnce: Math.max(1, Math.floor(PART_OF_ALL * connections)),
  atOnceOfCaller: Math.max(1, Math.floor(PART_OF_ONE * connections)),
  maxWaiting: MAX_WAITING,
});

/** Waits for a turn of an organization, and performs the operation in it. */
type InTurn = <T>(operation: () => Promise<T>) => Promise<T>;

/** Reads each batch of rows in a turn of its own. The reader of the rows does not occupy a turn. */
async function* rowsInTurns<D>(cursor: FindCursor<D>, inTurn: InTurn): AsyncGenerator<D, void> {
  try {
    // Without a further batch, no turn is needed.
    const mayFetch = (): boolean => cursor.id?.isZero() !== true;
    while (cursor.bufferedCount() > 0 || (mayFetch() && (await inTurn(() => cursor.hasNext())))) {
      // A batch is parsed in parts, because its reader may stop early. A `yield*` would cost several times as much.
      for (const row of cursor.readBufferedDocuments(PARSED_AT_ONCE)) yield row;
    }
  } finally {
    await cursor.close();
  }
}

const cursorInTurns = (cursor: FindCursor, inTurn: InTurn): FindCursor =>
  withChanged(cursor, (name) => {
    if (name === 'toArray') return () => inTurn(() => cursor.toArray());
    return name === Symbol.asyncIterator ? () => rowsInTurns(cursor, inTurn) : undefined;
  });

const collectionInTurns = <C extends object>(collection: C, inTurn: InTurn): C =>
  withChanged(collection, (name) => {
    if (!(name in OPTIONS_AT)) return undefined;
    const operation = collection[name as keyof C] as (...given: unknown[]) => unknown;
    const operate = (given: unknown[]) => Reflect.apply(operation, collection, given);
    return name === 'find' || name === 'aggregate'
      ? (...given: unknown[]) => cursorInTurns(operate(given) as FindCursor, inTurn)
      : (...given: unknown[]) => inTurn(async () => operate(given));
  });

/** Lets the database operations of organizations take turns. */
export type OperationTurns = {
  /** A database whose operations wait for a turn of the organization. */
  databaseOf(organizationId: string, database: Db): Db;
  /** A collection whose operations wait for a turn of the organization. */
  collectionOf<C extends object>(organizationId: string, collection: C): C;
  /** The number of waiting operations. */
  waiting(): number;
};

/**
 * The turns of operations. Streams do not take part: they read at the speed of their callers, over connections of their
 * own. Statements that several organizations share, entries of the audit log and the announcements of redeliveries do
 * not take part either. They are short, and use the connections that are left.
 *
 * @param options the options of the client: `maxPoolSize` is the number of its connections, and after
 *   `waitQueueTimeoutMS` an operation that has had no turn throws {@link OverloadedError}
 */
export const createOperationTurns = ({
  maxPoolSize: connections,
  waitQueueTimeoutMS: maxWaitMs,
}: MongoOptions): OperationTurns => {
  const turns = createFairQueue({
    // For the driver, 0 means that there is no limit.
    ...operationTurnLimits(connections || MAX_OPERATIONS),
    ...(maxWaitMs > 0 && { maxWaitMs }),
  });
  const inTurnOf =
    (organizationId: string): InTurn =>
    async (operation) => {
      try {
        return await turns.run(organizationId, operation);
      } catch (cause) {
        if (!(cause instanceof QueueFullError)) throw cause;
        throw new OverloadedError('Too many operations of this organization wait for the database.', {
          cause,
        });
      }
    };

  return {
    collectionOf: (organizationId, collection) => collectionInTurns(collection, inTurnOf(organizationId)),
    databaseOf: (organizationId, database) =>
      withCollections(database, (collection) => collectionInTurns(collection, inTurnOf(organizationId))),
    waiting: turns.waiting,
  };
};
