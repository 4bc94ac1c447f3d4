import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Store } from '@chairside/mongodb';
import type { Strength } from '@chairside/passwords';
import type { EventProducer, RateLimiter } from '@chairside/queue';
import type { Tracer } from '@chairside/telemetry';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Config } from './config.ts';
import type { Metrics } from './monitoring/metrics.ts';

/**
 * The Fastify instance that the routes are registered on. The types of a request follow from the zod schemas of its
 * route.
 */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/**
 * The settings, connections and metrics that the routes use. The caller of `buildApp` opens and closes the connections.
 */
export type Dependencies = {
  config: Pick<Config, 'WEBHOOK_ALLOWED_NETWORKS' | 'EVENT_BYTES_PER_MINUTE' | 'DASHBOARD_URL'>;
  store: Store;
  queue: Pick<EventProducer, 'publish' | 'isReady'>;
  limiter: RateLimiter;
  /** Checks new passwords. */
  strength: Strength;
  metrics: Omit<Metrics, 'expose'>;
  /** Absent when tracing is off. */
  tracer?: Tracer | undefined;
};
