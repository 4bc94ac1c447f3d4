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

/** Takes one call back, in one step, if there is one to take back. Its window goes on. */
const GIVE_BACK = `if tonumber(redis.call('get', KEYS[1]) or '0') > 0 then redis.call('decr', KEYS[1]) end`;

export type RateLimiterOptions = AvailabilityListener & RedisServer & { prefix: string };

/** Counts for all processes together, and for this process while Redis is away. */
type Limiters = { shared: RateLimiterRedis; local: RateLimiterMemory };

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
  const limiters = new Map<string, Limiters>();

  const limitersOf = ({ calls, seconds }: Limit): Limiters => {
    const id = `${calls}/${seconds}`;
    let found = limiters.get(id);
    if (found === undefined) {
      const options = { points: calls, duration: seconds, keyPrefix: `${prefix}:limit:${id}` };
      const local = new RateLimiterMemory(options);
      const shared = new RateLimiterRedis({
        ...options,
        storeClient: redis,
        rejectIfRedisNotReady: true,
        insuranceLimiter: local,
      });
      found = { shared, local };
      limiters.set(id, found);
    }
    return found;
  };

  return {
    async take(key, limit, cost = 1) {
      try {
        return stateOf(await limitersOf(limit).shared.consume(key, cost), limit);
      } catch (result) {
        // It throws the same result for a call too many.
        if (result instanceof Error) throw result;
        return stateOf(result as RateLimiterRes, limit);
      }
    },
    async look(key, limit) {
      const state = stateOf(await limitersOf(limit).shared.get(key), limit);
      return { ...state, isAllowed: state.remaining > 0 };
    },
    async giveBack(key, limit) {
      const { shared, local } = limitersOf(limit);
      if (redis.status === 'ready') {
        // A count too many is the safe side, so nothing is done when this fails.
        await redis.eval(GIVE_BACK, 1, shared.getKey(key)).catch(() => {});
        return;
      }
      const state = await local.get(key);
      if (state !== null && state.consumedPoints > 0) await local.reward(key);
    },
    async close() {
      stop();
      disconnect(redis);
    },
  };
};
