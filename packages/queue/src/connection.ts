import { Redis, type RedisOptions } from 'ioredis';

/** How long a command of the api may take before Redis counts as away, in milliseconds. */
const PRODUCER_COMMAND_TIMEOUT = 500;

/** How long a look at a limit may take before a process counts for itself, in milliseconds. */
const LIMITER_COMMAND_TIMEOUT = 100;

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

/** Fails faster still: every answer waits for the limiter. */
export const connectLimiter = (url: string): Redis =>
  new Redis(url, {
    ...common,
    commandTimeout: LIMITER_COMMAND_TIMEOUT,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
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

/** Told when Redis goes away and when it is back: once each, however often a connection is tried in between. */
export type AvailabilityListener = { onAway(error: Error): void; onBack(): void };

/** @param emitters the connection, and what else reports its errors */
export const watchAvailability = (
  redis: Redis,
  emitters: readonly { on(event: 'error', listener: (error: Error) => void): unknown }[],
  { onAway, onBack }: AvailabilityListener,
): void => {
  let isAway = false;
  const away = (error: Error) => {
    if (isAway || redis.status === 'ready') return;
    isAway = true;
    onAway(error);
  };
  for (const emitter of emitters) emitter.on('error', away);
  redis.on('ready', () => {
    if (isAway) onBack();
    isAway = false;
  });
};
