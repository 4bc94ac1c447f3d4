import { type Attempt, clock, type Receiver } from '@chairside/domain';
import type { ClaimedDelivery } from '@chairside/mongodb/dispatch';
import { createSigner, type Signer } from '@chairside/signing';
import { LRUCache } from 'lru-cache';
import { UNUSABLE } from './failure-reasons.ts';
import type { Sender } from './send.ts';

const USER_AGENT = 'Chairside-Webhooks/1.0';
const MAX_SIGNERS = 10_000;

/** The outcome of a delivery from whose stored data no request can be built. */
export const failedByConfiguration = (reason: string): Attempt => ({
  outcome: 'failed',
  cause: 'configuration',
  reason,
  attemptTime: clock.now(),
  duration: 0,
  timings: {},
});

/** Signs the body of a delivery and makes one POST request. */
export type Post = (delivery: ClaimedDelivery, receiver: Receiver, body: string) => Promise<Attempt>;

export const createPost = (sender: Pick<Sender, 'send'>, onError: (error: unknown) => void): Post => {
  const signers = new LRUCache<string, Signer>({
    max: MAX_SIGNERS,
    memoMethod: (secret) => createSigner({ secret }),
  });
  return async (delivery, receiver, body) => {
    try {
      const timestamp = Math.floor(clock.now().getTime() / 1000);
      return await sender.send({
        url: receiver.url,
        body,
        headers: {
          'content-type': 'application/json',
          'user-agent': USER_AGENT,
          'x-service-event': delivery.event,
          'x-service-event-id': delivery.eventId,
          'x-service-delivery-id': delivery._id,
          'x-service-signature': signers.memo(receiver.secret).sign({ body, timestamp }),
        },
      });
    } catch (error) {
      // No request can be built from the stored data, so another attempt would fail too.
      onError(error);
      return failedByConfiguration(UNUSABLE);
    }
  };
};
