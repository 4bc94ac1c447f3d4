import { batched } from '@chairside/concurrency';
import { SLOWED_FROM_FAILURES } from '@chairside/domain';
import type { Dispatch, PermitResponse } from '@chairside/mongodb/dispatch';
import type { ReceiverCache } from './receiver-cache.ts';

/** Maximum number of permits that are taken together. */
const MAX_GROUP = 200;
/** How long requests are collected after a group that was smaller than half of `MAX_GROUP`. */
const GATHERING_MS = 5;

/** The permits of this process at subscriptions that are slowed down. */
export type Permits = {
  /**
   * Tries to take the permit of a subscription.
   *
   * @returns the response, and the token of the permit if it was taken
   */
  take(request: {
    subscriptionId: string;
    ignoresPause: boolean;
  }): Promise<PermitResponse & { token: string }>;
  /** Gives a permit back with which no attempt was made. If this fails, the permit ends half a minute after it began. */
  giveBack(subscriptionId: string, token: string): Promise<void>;
};

export type PermitsOptions = {
  attemptPermits: Pick<Dispatch['attemptPermits'], 'take' | 'giveBack'>;
  receiverCache: Pick<ReceiverCache, 'forget'>;
  onError(error: unknown): void;
};

/** Takes permits in groups. */
export const createPermits = ({ attemptPermits, receiverCache, onError }: PermitsOptions): Permits => {
  const giveBack = (permits: readonly { subscriptionId: string; token: string }[]) =>
    attemptPermits.giveBack(permits).catch(onError);
  return {
    take: batched(
      async (requests) => {
        const token = crypto.randomUUID();
        try {
          const responses = await attemptPermits.take(requests, token);
          return responses.map((response, index) => {
            // The cached receiver may still be slowed down, so that its deliveries would be requeued.
            const id = requests[index]?.subscriptionId;
            if (id !== undefined && response.consecutiveFailures < SLOWED_FROM_FAILURES)
              receiverCache.forget(id);
            return { ...response, token };
          });
        } catch (error) {
          // The permits may be taken despite the error.
          void giveBack(requests.map(({ subscriptionId }) => ({ subscriptionId, token })));
          throw error;
        }
      },
      MAX_GROUP,
      { restMs: GATHERING_MS },
    ),
    giveBack: (subscriptionId, token) => giveBack([{ subscriptionId, token }]),
  };
};
