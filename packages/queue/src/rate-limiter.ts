import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import { type AvailabilityListener, watchAvailability } from './availability.ts';
import { connectLimiter, disconnect, type RedisServer } from './connection.ts';

/** So many calls, or units of what calls cost, in so many seconds, counted from the first of them. */
export type Limit = { calls: number; seconds: number };

export type LimitState = {
  isAllowed: boolean;
  /** Calls that are left in this window. */
  remaining: number;
  /** Whole seconds until the window ends. */
  resetSeconds: number;
};

/**
 * Counts calls for all processes together in Redis. While Redis is away or slow each process counts for itself: a
 * caller is never refused or kept waiting for the limiter's sake.
 */
export type RateLimiter = {
  /**
   * @param key contains no personal data: it is stored as it is
   * @param cost how much the call takes of the limit; one unless it is given
   */
  take(key: string, limit: Limit, cost?: number): Promise<LimitState>;
  /** The same without counting a call. */
  look(key: string, limit: Limit): Promise<LimitState>;
  /** Takes a counted call back. The count never falls below zero, also when its window ended in between. */
  giveBack(key: string, limit: Limit): Promise<void>;
  close(): Promise<void>;
};

export type RateLimiterOptions = AvailabilityListener & RedisServer & { prefix: string };

const stateOf = (result: RateLimiterRes | null, { calls, seconds }: Limit): LimitState => {
  if (result === null) return { isAllowed: true, remaining: calls, resetSeconds: seconds };
  return {
    isAllowed: result.consumedPoints <= calls,
    remaining: Math.max(0, result.remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
  };
};

export const openRateLimiter = ({
  prefix,
  url,
  certificates,
  ...listener
}: RateLimiterOptions): RateLimiter => {
  const redis = connectLimiter({ url, certificates });
  const { stop } = watchAvailability(redis, prefix, [redis], listener);
  const limiters = new Map<string, RateLimiterRedis>();

  const limiterOf = ({ calls, seconds }: Limit): RateLimiterRedis => {
    const id = `${calls}/${seconds}`;
    let limiter = limiters.get(id);
    if (limiter === undefined) {
      const options = { points: calls, duration: seconds, keyPrefix: `${prefix}:limit:${id}` };
      limiter = new RateLimiterRedis({
        ...options,
        storeClient: redis,
        rejectIfRedisNotReady: true,
        insuranceLimiter: new RateLimiterMemory(options),
      });
      limiters.set(id, limiter);
    }
    return limiter;
  };

  return {
    async take(key, limit, cost = 1) {
      try {
        return stateOf(await limiterOf(limit).consume(key, cost), limit);
      } catch (result) {
        // It throws the same result for a call too many.
        if (result instanceof Error) throw result;
        return stateOf(result as RateLimiterRes, limit);
      }
    },
    async look(key, limit) {
      const state = stateOf(await limiterOf(limit).get(key), limit);
      return { ...state, isAllowed: state.remaining > 0 };
    },
    async giveBack(key, limit) {
      const limiter = limiterOf(limit);
      const { consumedPoints } = await limiter.reward(key);
      if (consumedPoints < 0) await limiter.delete(key);
    },
    async close() {
      stop();
      disconnect(redis);
    },
  };
};
