import { Redis, type RedisOptions } from 'ioredis';

/** How long a command of the api may take before Redis counts as away, in milliseconds. */
export const PRODUCER_COMMAND_TIMEOUT = 500;

const common = {
  // Redis may be away at start and come back at any time.
  retryStrategy: (tries: number) => Math.min(tries * 50, 1000),
} satisfies RedisOptions;

/** Fails fast: an answer to a caller never waits for Redis. */
export const connectProducer = (url: string): Redis =>
  new Redis(url, {
    ...common,
    commandTimeout: PRODUCER_COMMAND_TIMEOUT,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
  });

/** Waits for Redis for ever, as BullMQ asks of the connection of a worker. */
export const connectWorker = (url: string): Redis =>
  new Redis(url, { ...common, maxRetriesPerRequest: null });

/** Ends a connection without waiting for a Redis that is away. */
export const disconnect = (redis: Redis): void => {
  redis.removeAllListeners('error');
  redis.on('error', () => {});
  redis.disconnect();
};
