import type { Collection, Database } from '../driver/database.ts';
import { atMost, databaseTime } from '../driver/statements.ts';
import { LANE_LIFE_MS, type LaneRef } from './lane-store.ts';

/**
 * A request to open a lane for a delivery that was stored outside of the dispatcher. `_id` is the id of the delivery.
 */
export type LaneRequestDocument = LaneRef & {
  _id: string;
  /** The sweep opens the lane after this time. */
  dueTime: Date;
};

/** Requests to open a lane, for deliveries that are stored outside of the dispatcher. */
export type LaneRequests = {
  /**
   * Announces a delivery that is about to be stored. If the caller crashes before it calls `request`, the sweep opens a
   * lane for the delivery after `LANE_LIFE_MS`.
   */
  announce(lane: LaneRef, deliveryId: string): Promise<void>;
  /** Makes the sweep open a lane for a delivery that was stored. */
  request(lane: LaneRef, deliveryId: string): Promise<void>;
  /**
   * Returns requests that are due. The process that opens the lanes removes the requests.
   *
   * @param now the database's time
   */
  due(now: Date, limit: number): Promise<LaneRequestDocument[]>;
  remove(requests: readonly LaneRequestDocument[]): Promise<void>;
};

export const openLaneRequests = (
  database: Database,
  collection: Collection<LaneRequestDocument>,
): LaneRequests => {
  const put = async (
    deliveryId: string,
    { subscriptionId, organizationId }: LaneRef,
    dueTime: Date,
  ): Promise<void> => {
    const request = { subscriptionId, organizationId, dueTime };
    await collection.updateOne({ _id: deliveryId }, { $set: request }, { upsert: true });
  };

  return {
    async announce(lane, deliveryId) {
      const now = await databaseTime(database);
      await put(deliveryId, lane, new Date(now.getTime() + LANE_LIFE_MS));
    },

    request: (lane, deliveryId) => put(deliveryId, lane, new Date(0)),

    due: (now, limit) => collection.find({ dueTime: { $lt: now } }, atMost(limit, 'due')).toArray(),

    async remove(requests) {
      if (requests.length === 0) return;
      // The filter contains `dueTime`, because an announced delivery may have been stored and requested since this
      // document was read.
      await collection.bulkWrite(
        requests.map(({ _id, dueTime }) => ({ deleteOne: { filter: { _id, dueTime } } })),
        { ordered: false },
      );
    },
  };
};
