import { createFairQueue, QueueFullError } from '@chairside/concurrency';
import type { MongoOptions } from 'mongodb';
import type { Database } from '../driver/database.ts';
import { OverloadedError } from '../driver/unavailable.ts';
import { MAX_OPERATIONS } from './client.ts';

/** The part of a process's connections that the operations of all organizations may use, and those of one of them. */
const PART_OF_ALL = 0.8;
const PART_OF_ONE = 0.4;
/** Maximum number of operations that wait for their turn. */
const MAX_WAITING = 2000;

/** The limits of the turns in a process with this maximum number of connections. */
export const operationTurnLimits = (connections: number) => ({
  atOnce: Math.max(1, Math.floor(PART_OF_ALL * connections)),
  atOnceOfCaller: Math.max(1, Math.floor(PART_OF_ONE * connections)),
  maxWaiting: MAX_WAITING,
});

/** Lets the database operations of organizations take turns. */
export type OperationTurns = {
  /** A database whose operations wait for a turn of the organization. Each batch of rows takes a turn of its own. */
  databaseOf(organizationId: string, database: Database): Database;
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
  const inTurn = async <T>(organizationId: string, operation: () => Promise<T>): Promise<T> => {
    try {
      return await turns.run(organizationId, operation);
    } catch (cause) {
      if (!(cause instanceof QueueFullError)) throw cause;
      throw new OverloadedError('Too many operations of this organization wait for the database.', { cause });
    }
  };

  return {
    databaseOf: (organizationId, database) =>
      database.with({ around: (statement) => inTurn(organizationId, statement) }),
    waiting: turns.waiting,
  };
};
