import { SLOWED_FROM_FAILURES } from '@chairside/domain';
import type { Dispatch, TurnResponse } from '@chairside/mongodb/dispatch';
import { batched } from '@chairside/work';
import type { ReceiverCache } from './receiver-cache.ts';

/** Maximum number of turns that are taken together. */
const MAX_GROUP = 200;
/** How long requests are collected after a group that was smaller than half of `MAX_GROUP`. */
const GATHERING_MS = 5;

/** The turns of this process at subscriptions that are slowed down. */
export type Turns = {
  /**
   * Tries to take the turn of a subscription.
   *
   * @returns the response, and the token of the turn if it was taken
   */
  take(request: { subscriptionId: string; ignoresPause: boolean }): Promise<TurnResponse & { token: string }>;
  /** Gives a turn back in which no attempt was made. If this fails, the turn ends half a minute after it began. */
  giveBack(subscriptionId: string, token: string): Promise<void>;
};

export type TurnsOptions = {
  attemptTurns: Pick<Dispatch['attemptTurns'], 'take' | 'giveBack'>;
  receiverCache: Pick<ReceiverCache, 'forget'>;
  onError(error: unknown): void;
};

/** Takes turns in groups. */
export const createTurns = ({ attemptTurns, receiverCache, onError }: TurnsOptions): Turns => {
  const giveBack = (turns: readonly { subscriptionId: string; token: string }[]) =>
    attemptTurns.giveBack(turns).catch(onError);
  return {
    take: batched(
      async (requests) => {
        const token = crypto.randomUUID();
        try {
          const responses = await attemptTurns.take(requests, token);
          return responses.map((response, index) => {
            // The cached receiver may still be slowed down, so that its deliveries would be requeued.
            const id = requests[index]?.subscriptionId;
            if (id !== undefined && response.consecutiveFailures < SLOWED_FROM_FAILURES)
              receiverCache.forget(id);
            return { ...response, token };
          });
        } catch (error) {
          // The turns may be taken despite the error.
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
