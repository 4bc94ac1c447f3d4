export type { AvailabilityListener } from './availability.ts';
export type { RedisServer } from './connection.ts';
export {
  DEFAULT_QUEUE_PREFIX,
  type EventConsumer,
  type EventProducer,
  openEventConsumer,
  openEventProducer,
  type QueueOptions,
} from './events.ts';
export { inspectRedis, type RedisServerInspection } from './inspect.ts';
export {
  counterKey,
  type Limit,
  type LimitState,
  openRateLimiter,
  type RateLimiter,
} from './rate-limiter.ts';
