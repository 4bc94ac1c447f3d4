import { batched } from '@chairside/concurrency';
import { RetryLaterError } from '@chairside/domain';
import type { Dispatch, StoredReceiver } from '@chairside/mongodb/dispatch';
import { LRUCache } from 'lru-cache';

/** Maximum number of subscriptions that are read in one round trip. */
const MAX_GROUP = 200;
/** How long a subscription is cached. Changes must take effect within a second. */
const LIFE_MS = 500;
/** Maximum age of a subscription's data when an attempt begins. */
const MAX_AGE_MS = 900;
const MAX_RECEIVERS = 10_000;

/** A receiver as stored, or undefined if its subscription is gone. */
export type FoundReceiver = StoredReceiver | undefined;

/** Receivers by subscription. Each is cached for half a second after it was read from the database. */
export type ReceiverCache = {
  /**
   * @throws {Error} if the receiver could not be read, or not in time. In that case, nothing may be sent to the
   *   receiver.
   */
  find(subscriptionId: string): Promise<FoundReceiver>;
  /**
   * Caches receivers that another part has read.
   *
   * @param readAt time at which the read began, on this process's monotonic clock
   */
  keep(receivers: readonly StoredReceiver[], readAt: number): void;
  forget(subscriptionId: string): void;
};

type Read = { receiver: FoundReceiver; readAt: number };

export const createReceiverCache = (receivers: Pick<Dispatch['receivers'], 'find'>): ReceiverCache => {
  const cache = new LRUCache<string, Read>({ max: MAX_RECEIVERS });
  const read = batched<string, Read>(async (ids) => {
    const readAt = performance.now();
    const found = await receivers.find(ids);
    return ids.map((id) => {
      const entry = { receiver: found.get(id), readAt };
      cache.set(id, entry);
      return entry;
    });
  }, MAX_GROUP);
  const isYoung = ({ readAt }: Read, age: number): boolean => performance.now() - readAt < age;

  return {
    async find(subscriptionId) {
      const cached = cache.get(subscriptionId);
      if (cached !== undefined && isYoung(cached, LIFE_MS)) return cached.receiver;
      const fresh = await read(subscriptionId);
      if (isYoung(fresh, MAX_AGE_MS)) return fresh.receiver;
      throw new RetryLaterError('the subscription was not read within a second');
    },
    keep(found, readAt) {
      for (const receiver of found) {
        const known = cache.get(receiver._id);
        if (known === undefined || known.readAt < readAt) cache.set(receiver._id, { receiver, readAt });
      }
    },
    forget: (subscriptionId) => void cache.delete(subscriptionId),
  };
};
