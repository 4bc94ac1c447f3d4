import { batched } from '@chairside/concurrency';
import type { ClaimedDelivery, Deliveries, QueuedDelivery } from '@chairside/mongodb/dispatch';
import type { Bodies } from './bodies.ts';
import type { Outcomes } from './outcomes.ts';

/** Maximum number of deliveries that are claimed together. */
const MAX_GROUP = 200;
/**
 * How long claims are collected after a group that was smaller than half of `MAX_GROUP`. Deliveries that are inserted
 * with their claim do not wait for this.
 */
const GATHERING_MS = 5;

export type ClaimOptions = {
  deliveries: Pick<Deliveries, 'claim'>;
  outcomes: Pick<Outcomes, 'requeue'>;
  bodies: Pick<Bodies, 'expect'>;
  worker: string;
  onError(error: unknown): void;
};

/**
 * Claims a delivery. Returns undefined if it is not queued any more, for example because another process claimed it.
 */
export type ClaimDelivery = (delivery: QueuedDelivery) => Promise<ClaimedDelivery | undefined>;

/** Claims deliveries in groups. */
export const createClaim = (options: ClaimOptions): ClaimDelivery => {
  const { deliveries, outcomes, bodies, worker, onError } = options;

  const claimTogether = async (group: readonly QueuedDelivery[], token: string) => {
    const claimed = await deliveries.claim(group, token, worker);
    bodies.expect(claimed);
    const byId = new Map(claimed.map((delivery) => [delivery._id, delivery]));
    return group.map(({ _id }) => {
      const delivery = byId.get(_id);
      // A delivery that occurs twice in the group is claimed once.
      byId.delete(_id);
      return delivery;
    });
  };

  return batched<QueuedDelivery, ClaimedDelivery | undefined>(
    async (group) => {
      const token = crypto.randomUUID();
      try {
        return await claimTogether(group, token);
      } catch (error) {
        // The claim may be stored despite the error. So the delivery is requeued before the lane gets the error and
        // reads its backlog again.
        return group.map(async (delivery) => {
          await outcomes.requeue({ ...delivery, token }).catch(onError);
          throw error;
        });
      }
    },
    MAX_GROUP,
    { restMs: GATHERING_MS },
  );
};
