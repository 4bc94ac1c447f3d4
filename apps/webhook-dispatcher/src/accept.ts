import type { Deliveries, LogClock, NewDelivery, QueuedDelivery } from '@chairside/mongodb';
import { type Claim, enqueue, isClear, type Lane } from './lane.ts';
import type { OpenLanes } from './open-lanes.ts';

/** What the lanes do with new Deliveries. */
export type Hands = {
  laneOf(subscriptionId: string): Lane;
  /** Whether the lane may claim one more. */
  mayClaim(lane: Lane): boolean;
  /** Takes note of a claim; `leave` that it has ended. */
  take(lane: Lane, delivery: QueuedDelivery): void;
  leave(lane: Lane, id: string): void;
  /** Has a claim wait for its attempt. */
  hold(lane: Lane, claim: Claim): void;
  giveBack(lane: Lane, claim: Claim): Promise<void>;
  pump(lane: Lane): void;
  /** How many Deliveries may wait in a lane's memory. */
  pageSize(): number;
};

export type AcceptOptions = {
  worker: string;
  deliveries: Pick<Deliveries, 'insert'>;
  openLanes: Pick<OpenLanes, 'ensure'>;
  hands: Hands;
};

/** Stores new Deliveries and hands them to their lanes: `accept` of Lanes. */
export const createAccept = ({ worker, deliveries, openLanes, hands }: AcceptOptions) => {
  const { laneOf, pump } = hands;

  /** Those that may be claimed as they are stored: where nothing waits that was there before, as far as there is room. */
  const reserve = (fresh: readonly NewDelivery[], token: string): Map<string, Claim> => {
    const claimedAt = performance.now();
    const reserved = new Map<string, Claim>();
    for (const { skip, redeliveryOf, claim, ...delivery } of fresh) {
      const lane = laneOf(delivery.subscriptionId);
      if (!isClear(lane) || lane.inHand.has(delivery._id) || !hands.mayClaim(lane)) continue;
      hands.take(lane, delivery);
      reserved.set(delivery._id, { delivery: { ...delivery, token }, claimedAt, readyAt: claimedAt });
    }
    return reserved;
  };

  return async (fresh: readonly NewDelivery[], { time, readAt }: LogClock): Promise<void> => {
    const sendable = fresh.filter(({ skip }) => skip === undefined);
    const subscriptionIds = [...new Set(sendable.map(({ subscriptionId }) => subscriptionId))];
    const token = crypto.randomUUID();
    const reserved = reserve(sendable, token);
    const claim = { token, worker, claimedAt: new Date(time.getTime() + performance.now() - readAt) };
    const [inserted, opened] = await Promise.allSettled([
      deliveries.insert(
        fresh.map((delivery) => (reserved.has(delivery._id) ? { ...delivery, claim } : delivery)),
        new Date(),
      ),
      openLanes.ensure(subscriptionIds),
    ]);
    for (const delivery of sendable) {
      const lane = laneOf(delivery.subscriptionId);
      const own = reserved.get(delivery._id);
      if (inserted.status === 'rejected') {
        // It may be stored all the same.
        if (own !== undefined) void hands.giveBack(lane, own);
      } else if (inserted.value.has(delivery._id)) {
        lane.more = true;
        if (own !== undefined) hands.leave(lane, delivery._id);
      } else if (own !== undefined) hands.hold(lane, own);
      else enqueue(lane, delivery, hands.pageSize());
    }
    for (const id of subscriptionIds) pump(laneOf(id));
    for (const result of [inserted, opened]) if (result.status === 'rejected') throw result.reason;
    // Once more, in case that took so long that a lane was closed meanwhile.
    await openLanes.ensure(subscriptionIds);
  };
};
