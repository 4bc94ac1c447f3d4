import type { ClaimedDelivery, Deliveries, QueuedDelivery } from '@chairside/mongodb';
import { batched } from '@chairside/runtime';
import type { Bodies } from './bodies.ts';
import type { Outcomes } from './outcomes.ts';

/** Maximum number of deliveries that are claimed in one round trip. */
const MAX_GROUP = 200;
/**
 * How long claims are collected after the previous group. Most deliveries to idle lanes do not wait for this, because
 * they are inserted with their claim.
 */
const GATHERING_MS = 5;

export type ClaimOptions = {
  deliveries: Pick<Deliveries, 'claim'>;
  outcomes: Pick<Outcomes, 'requeue'>;
  bodies: Pick<Bodies, 'expect'>;
  worker: string;
  onError(error: unknown): void;
};

/** Claims a delivery. Returns undefined if it is not queued any more, usually because another process claimed it. */
export type ClaimDelivery = (delivery: QueuedDelivery) => Promise<ClaimedDelivery | undefined>;

/** Concurrent claims share a round trip. */
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
        // The claim may be stored despite the error. Requeue before throwing: the lane then reads its backlog again.
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
