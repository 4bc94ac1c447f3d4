import type { Collection, Database } from '../driver/database.ts';
import { deleteUnique } from '../driver/ferretdb.ts';
import { databaseTime } from '../driver/statements.ts';

/**
 * How long a declared outage stays current without being renewed. The limit is needed, because the process that
 * declared it may crash.
 */
const OUTAGE_LIFE_MS = 30_000;

/** An outage that a process has declared. Its `_id` is the id of the process. */
export type OutageDocument = { _id: string; since: Date; aliveUntil: Date };

/** The outages of the service that dispatchers have declared. All times are by the database's clock. */
export type Outages = {
  /** Declares an outage, or renews it. */
  declare(worker: string): Promise<void>;
  withdraw(worker: string): Promise<void>;
  /** When the oldest current outage was declared; undefined if there is none. */
  current(): Promise<Date | undefined>;
};

export const openOutages = (database: Database, collection: Collection<OutageDocument>): Outages => ({
  async declare(worker) {
    const update = {
      since: { $ifNull: ['$since', '$$NOW'] },
      aliveUntil: { $add: ['$$NOW', OUTAGE_LIFE_MS] },
    };
    await collection.updateOne({ _id: worker }, [{ $set: update }], { upsert: true });
  },

  async withdraw(worker) {
    await deleteUnique(collection, { _id: worker });
  },

  async current() {
    const now = await databaseTime(database);
    const found = await collection.find({ aliveUntil: { $gt: now } }).toArray();
    return found.map(({ since }) => since).toSorted((one, other) => one.getTime() - other.getTime())[0];
  },
});
