import type { Collection, Database } from '../driver/database.ts';
import { findUnique } from '../driver/ferretdb.ts';
import { atMost, byId, CLOCK_LEAP_MS, databaseTime, isDuplicateKey } from '../driver/statements.ts';

/** How long an open lane counts as alive without being renewed. */
export const LANE_LIFE_MS = 30_000;

/** What a lane is for: a subscription of an organization. */
export type LaneRef = { subscriptionId: string; organizationId: string };

/** The lanes of these items, each once. */
export const distinctLanes = (items: readonly LaneRef[]): LaneRef[] =>
  [...new Map(items.map((item) => [item.subscriptionId, item])).values()].map(
    ({ subscriptionId, organizationId }) => ({ subscriptionId, organizationId }),
  );

/** An open lane: the process `worker` sends the deliveries of this subscription. */
export type LaneDocument = LaneRef & { _id: string; worker: string; aliveUntil: Date };

/** The open lanes of all processes, and the leases for running the sweep and for sending mails. */
export type LaneStore = {
  /** Opens lanes of this worker for these subscriptions, or renews them. */
  keepOpen(worker: string, lanes: readonly LaneRef[]): Promise<void>;
  close(worker: string, subscriptionIds: readonly string[]): Promise<void>;
  /** Marks all lanes of this worker as dead, so that another process can open them at once. */
  handOver(worker: string): Promise<void>;
  /**
   * Returns lanes that were handed over or not renewed in time. A process that opens these lanes itself then removes
   * them here.
   *
   * @param now the database's time
   */
  dead(now: Date, limit: number): Promise<LaneDocument[]>;
  remove(lanes: readonly LaneDocument[]): Promise<void>;
  /**
   * Acquires or renews a lease. Its expiry is measured by the database's clock.
   *
   * @param life the duration of the lease, in milliseconds
   * @returns the database's time, or undefined if another worker has the lease
   */
  lease(name: string, worker: string, life: number): Promise<Date | undefined>;
  /** Whether a worker has the lease, or had it in the last milliseconds. */
  wasHeld(name: string, ago: number): Promise<boolean>;
};

export type LeaseDocument = { _id: string; worker: string; until: Date };

const laneId = (worker: string, subscriptionId: string) => `${subscriptionId}:${worker}`;

export const openLaneStore = (
  database: Database,
  collection: Collection<LaneDocument>,
  leases: Collection<LeaseDocument>,
): LaneStore => ({
  async keepOpen(worker, lanes) {
    if (lanes.length === 0) return;
    const aliveUntil = new Date((await databaseTime(database)).getTime() + LANE_LIFE_MS);
    await collection.bulkWrite(
      lanes.map(({ subscriptionId, organizationId }) => ({
        updateOne: {
          filter: { _id: laneId(worker, subscriptionId) },
          update: { $set: { subscriptionId, organizationId, worker, aliveUntil } },
          upsert: true,
        },
      })),
      { ordered: false },
    );
  },

  async close(worker, subscriptionIds) {
    const ids = subscriptionIds.map((id) => laneId(worker, id));
    await collection.deleteMany({ _id: { $in: ids } }, byId);
  },

  async handOver(worker) {
    await collection.updateMany({ worker }, { $set: { aliveUntil: new Date(0) } });
  },

  dead: (now, limit) => collection.find({ aliveUntil: { $lt: now } }, atMost(limit, 'alive')).toArray(),

  async remove(lanes) {
    if (lanes.length === 0) return;
    // The filter contains `aliveUntil`, because the process may have renewed its lane since this document was read.
    await collection.bulkWrite(
      lanes.map(({ _id, aliveUntil }) => ({ deleteOne: { filter: { _id, aliveUntil } } })),
      { ordered: false },
    );
  },

  async wasHeld(name, ago) {
    const now = await databaseTime(database);
    const held = await findUnique(leases, { _id: name });
    return held !== undefined && held.until.getTime() > now.getTime() - ago;
  },

  async lease(name, worker, life) {
    const now = await databaseTime(database);
    const lease = { worker, until: new Date(now.getTime() + life) };
    const { matchedCount } = await leases.updateOne(
      // A lease that ends later than any valid lease was written while a clock was ahead. Such a lease counts as
      // expired.
      {
        _id: name,
        $or: [
          { worker },
          { until: { $lt: now } },
          { until: { $gt: new Date(now.getTime() + life + CLOCK_LEAP_MS) } },
        ],
      },
      { $set: lease },
    );
    if (matchedCount === 1) return now;
    try {
      await leases.insertOne({ _id: name, ...lease });
      return now;
    } catch (error) {
      if (isDuplicateKey(error)) return undefined;
      throw error;
    }
  },
});
