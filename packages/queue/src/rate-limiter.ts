import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import { type AvailabilityListener, watchAvailability } from './availability.ts';
import { connectLimiter, disconnect, type RedisServer } from './connection.ts';

/** The most calls, or units of their cost, in a window of this many seconds. The window begins with the first call. */
export type Limit = { calls: number; seconds: number };

export type LimitState = {
  isAllowed: boolean;
  /** Calls that are left in this window. */
  remaining: number;
  /** Whole seconds until the window ends. */
  resetSeconds: number;
};

/**
 * Counts the calls of all processes together in Redis. While Redis is unreachable or slow, each process counts for
 * itself, so the limiter itself never refuses or delays a caller.
 */
export type RateLimiter = {
  /**
   * @param key must not contain personal data, because it is stored as it is
   * @param cost how much of the limit the call uses; default 1
   */
  take(key: string, limit: Limit, cost?: number): Promise<LimitState>;
  /** Returns the same state without counting a call. */
  look(key: string, limit: Limit): Promise<LimitState>;
  /** Takes back a counted call. The count never drops below zero, even if its window has ended in between. */
  giveBack(key: string, limit: Limit): Promise<void>;
  close(): Promise<void>;
};

/** Takes back one call atomically, if the count is above zero. The window stays the same. */
const GIVE_BACK = `if tonumber(redis.call('get', KEYS[1]) or '0') > 0 then redis.call('decr', KEYS[1]) end`;

export type RateLimiterOptions = AvailabilityListener & RedisServer & { prefix: string };

/** The shared counter of all processes, and the local counter for times when Redis is unreachable. */
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
        // A call beyond the limit throws its result.
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
        // If this fails, the count stays too high. This only refuses some calls too early.
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
