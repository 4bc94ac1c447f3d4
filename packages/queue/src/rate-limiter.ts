import { createHash } from 'node:crypto';
import { batched } from '@chairside/concurrency';
import { LRUCache } from 'lru-cache';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { type AvailabilityListener, watchAvailability } from './availability.ts';
import { connectLimiter, disconnect, type RedisServer } from './connection.ts';

/**
 * The maximum number of calls, or units of their cost, in a window of `seconds`. The window begins with the first call.
 */
export type Limit = {
  calls: number;
  seconds: number;
  /**
   * Whether each process reserves one percent of the calls in advance and counts them locally. Most calls then need no
   * round trip. A disadvantage is that a caller that uses several processes may be refused up to one percent too early
   * for each process.
   */
  inAdvance?: boolean;
};

/**
 * The key of a counter. The parts, such as IP addresses and e-mail addresses, are hashed, because Redis must not
 * contain personal data.
 */
export const counterKey = (kind: string, ...parts: string[]): string =>
  `${kind}:${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;

export type LimitState = {
  isAllowed: boolean;
  /** The number of calls left in this window, as far as this process knows. */
  remaining: number;
  /** Whole seconds until the window ends. */
  resetSeconds: number;
};

/**
 * Counts the calls of all processes together in Redis. While Redis is unreachable or slow, each process counts only its
 * own calls. A request to Redis times out after 100 ms.
 */
export type RateLimiter = {
  /**
   * @param key must not contain personal data, because it is stored in plain text
   * @param cost how much of the limit the call uses; default 1
   */
  take(key: string, limit: Limit, cost?: number): Promise<LimitState>;
  /** Returns the current state without counting a call. */
  look(key: string, limit: Limit): Promise<LimitState>;
  /** Takes back a counted call. The count never drops below zero, even if its window has ended since the call. */
  refund(key: string, limit: Limit): Promise<void>;
  close(): Promise<void>;
};

/** Takes back one call atomically, if the count is above zero. The window stays the same. */
const GIVE_BACK = `if tonumber(redis.call('get', KEYS[1]) or '0') > 0 then redis.call('decr', KEYS[1]) end`;

export type RateLimiterOptions = AvailabilityListener &
  RedisServer & {
    prefix: string;
    /** How long a request to Redis may take, in milliseconds. Default: 100. */
    commandTimeout?: number;
  };

/** The counter that all processes share, and the local counter that is used while Redis is unreachable or slow. */
type Limiters = { shared: RateLimiterRedis; local: RateLimiterMemory };

/** @param milliseconds the time until the window ends */
const resetSecondsOf = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));

/** The share of a limit that a process reserves in advance. */
const ADVANCE = 0.01;
/** Maximum number of keys whose reserved calls a process remembers. */
const MAX_KEYS = 10_000;

/** Counts the calls of one key. Reserved calls need no request to Redis. */
type Counter = {
  take(cost: number): Promise<LimitState>;
  /** The number of reserved calls that are left. */
  left(): number;
};

/** The result of adding `taken` to a count. The count may exceed the limit. */
type Count = Pick<RateLimiterRes, 'consumedPoints' | 'msBeforeNext'> & { taken: number };

/**
 * Counts the calls of one key. Calls without a reservation that arrive while a request to Redis is in flight share the
 * next request.
 *
 * @param consume adds a cost to the count of the key, plus the calls to reserve in advance if processes count together
 */
const createCounter = (
  limit: Limit,
  consume: (cost: number, inAdvance: number) => Promise<Count>,
): Counter => {
  let ahead = 0;
  /** The calls of all processes that are left in this window, without those that this process has reserved. */
  let others = 0;
  let windowEnd = Number.NEGATIVE_INFINITY;

  const left = (): number => (performance.now() < windowEnd ? ahead : 0);
  const state = (isAllowed: boolean): LimitState => ({
    isAllowed,
    remaining: isAllowed ? others + ahead : 0,
    resetSeconds: resetSecondsOf(windowEnd - performance.now()),
  });

  const ask = batched<number, LimitState>(async (costs) => {
    const sum = costs.reduce((total, cost) => total + cost, 0);
    const inAdvance = limit.inAdvance ? Math.floor(limit.calls * ADVANCE) : 0;
    const { consumedPoints, msBeforeNext, taken } = await consume(sum, inAdvance);
    const unused = left();
    windowEnd = performance.now() + msBeforeNext;
    others = Math.max(0, limit.calls - consumedPoints);
    ahead = Math.min(taken, Math.max(0, limit.calls - consumedPoints + taken)) + unused;
    return costs.map((cost) => {
      const isAllowed = cost <= ahead;
      if (isAllowed) ahead -= cost;
      return state(isAllowed);
    });
  }, Number.POSITIVE_INFINITY);

  return {
    left,
    async take(cost) {
      if (cost > left()) return ask(cost);
      ahead -= cost;
      return state(true);
    },
  };
};

/**
 * Adds `taken` to the count of a key, even beyond the limit.
 *
 * @throws {Error} if the limiter cannot count at the moment
 */
const countIn = async (limiter: RateLimiterAbstract, key: string, taken: number): Promise<Count> => {
  const { consumedPoints, msBeforeNext } = await limiter.consume(key, taken).catch((result: unknown) => {
    if (result instanceof RateLimiterRes) return result;
    throw result;
  });
  return { consumedPoints, msBeforeNext, taken };
};

export const openRateLimiter = ({
  prefix,
  url,
  certificates,
  commandTimeout,
  ...listener
}: RateLimiterOptions): RateLimiter => {
  const redis = connectLimiter({ url, certificates }, commandTimeout);
  const { stop } = watchAvailability(redis, prefix, [redis], listener);
  const limiters = new Map<string, Limiters>();
  const counters = new LRUCache<string, Counter>({ max: MAX_KEYS });

  const limitersOf = ({ calls, seconds }: Limit): Limiters => {
    const id = `${calls}/${seconds}`;
    let found = limiters.get(id);
    if (found === undefined) {
      const options = { points: calls, duration: seconds, keyPrefix: `${prefix}:limit:${id}` };
      found = {
        shared: new RateLimiterRedis({ ...options, storeClient: redis, rejectIfRedisNotReady: true }),
        local: new RateLimiterMemory(options),
      };
      limiters.set(id, found);
    }
    return found;
  };

  const consume = async (key: string, limit: Limit, cost: number, inAdvance: number): Promise<Count> => {
    const { shared, local } = limitersOf(limit);
    return countIn(shared, key, cost + inAdvance).catch(() => countIn(local, key, cost));
  };
  const idOf = (key: string, { calls, seconds }: Limit): string => `${calls}/${seconds} ${key}`;

  return {
    take(key, limit, cost = 1) {
      const id = idOf(key, limit);
      let counter = counters.get(id);
      if (counter === undefined) {
        counter = createCounter(limit, (points, inAdvance) => consume(key, limit, points, inAdvance));
        counters.set(id, counter);
      }
      return counter.take(cost);
    },
    async look(key, limit) {
      const { shared, local } = limitersOf(limit);
      const count = await shared.get(key).catch(() => local.get(key));
      const left = counters.get(idOf(key, limit))?.left() ?? 0;
      const remaining = Math.max(0, count?.remainingPoints ?? limit.calls) + left;
      const resetSeconds = count === null ? limit.seconds : resetSecondsOf(count.msBeforeNext);
      return { isAllowed: remaining > 0, remaining, resetSeconds };
    },
    async refund(key, limit) {
      const { shared, local } = limitersOf(limit);
      if (redis.status === 'ready') {
        // If the refund fails, the count stays too high. The only effect is that some calls are refused too early.
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
