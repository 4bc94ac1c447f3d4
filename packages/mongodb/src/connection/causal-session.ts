import type { Database } from '../driver/database.ts';

/** The methods that only read. */
const READS: readonly string[] = ['aggregate', 'countDocuments', 'find', 'findOne'];

/**
 * Runs operations in a causally consistent session. Each read returns only data that a majority has, and sees at least
 * what the operations before it have read or written, whichever collection, member or shard it goes to. So a primary
 * that was replaced and does not know it cannot return an earlier state.
 *
 * @param work gets the database of the session, and must not use it after it has ended
 */
export const inCausalSession = async <T>(
  database: Database,
  work: (database: Database) => Promise<T>,
): Promise<T> => {
  const session = database.driver.client.startSession({ causalConsistency: true });
  try {
    return await work(
      database.with({
        optionsOf: (method) => ({
          session,
          ...(READS.includes(method) && { readConcern: { level: 'majority' } }),
        }),
      }),
    );
  } finally {
    await session.endSession();
  }
};
