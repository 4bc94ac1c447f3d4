import { setTimeout as sleep } from 'node:timers/promises';
import { runServer } from '@chairside/http-server';
import { isUnavailableAtStart, loggedSkew, openSchedule, type Schedule } from '@chairside/mongodb/schedule';
import { openRateLimiter } from '@chairside/queue';
import { isTracingWanted } from '@chairside/startup';
import { loggableError } from '@chairside/telemetry';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';
import type { App } from './context.ts';
import { openIntrospection } from './introspection.ts';
import { createMetrics } from './metrics.ts';

/** Maximum number of concurrent operations of the connector in the database. */
const MAX_DATABASE_OPERATIONS = 20;
/** How long a request waits for a primary, or for its turn in the database. */
const DATABASE_WAIT_MS = 1500;
/** Delay between tries to reach the database at the start. */
const RETRY_DELAY_MS = 1000;

/**
 * Waits until the schedule can be read.
 *
 * @throws {UnusableDatabaseError} if the view of the times of appointments is missing or may not be read
 */
const untilReadable = async (schedule: Schedule, log: App['log']): Promise<void> => {
  for (let hasWaited = false; ; hasWaited = true) {
    try {
      await schedule.connect();
      await schedule.check();
      if (hasWaited) log.info('MongoDB is ready');
      return;
    } catch (error) {
      if (!isUnavailableAtStart(error)) throw error;
      if (!hasWaited) log.warn({ reason: loggableError(error).message }, 'waiting for MongoDB');
      await sleep(RETRY_DELAY_MS);
    }
  }
};

await runServer(async () => {
  const config = readConfig();
  // readConfig has checked that there is at least one secret.
  const [introspectionSecret = ''] = config.INTROSPECTION_SECRET;
  // Loaded only if tracing is enabled, because OpenTelemetry takes memory.
  const telemetry = isTracingWanted(config) ? await import('@chairside/telemetry/opentelemetry') : undefined;
  const tracer = telemetry?.openTracer({
    serviceName: 'chairside-mcp',
    onProblem: (error) => app.log.warn({ err: error }, 'traces cannot be exported'),
  });
  const metrics = createMetrics();
  const schedule = openSchedule({
    url: config.MONGODB_URL,
    appName: 'chairside-mcp',
    onSkew: loggedSkew(() => app.log),
    maxOperations: MAX_DATABASE_OPERATIONS,
    patience: { waitMs: DATABASE_WAIT_MS, operationMs: config.MONGODB_TIMEOUT_MS },
    availability: {
      onUnavailable: () => app.log.warn('MongoDB is unreachable'),
      onAvailable: () => app.log.info('MongoDB is reachable again'),
    },
    times: metrics.database,
    tracer,
  });
  const limiter = openRateLimiter({
    url: config.REDIS_URL,
    certificates: config.REDIS_CA_FILE,
    prefix: config.REDIS_PREFIX,
    onUnavailable: (error) =>
      app.log.warn({ err: error }, 'Redis is unreachable: each process applies rate limits by itself'),
    onAvailable: () => app.log.info('Redis is reachable again: all processes share the rate limits'),
  });
  const introspection = openIntrospection(config.INTROSPECTION_URL, introspectionSecret);
  const app = buildApp({ config, schedule, introspection, limiter, metrics, tracer });

  return {
    app,
    config,
    metrics,
    prepare: () => untilReadable(schedule, app.log),
    async close() {
      await Promise.all([limiter.close(), introspection.close()]);
      await schedule.close();
      await tracer?.close();
    },
  };
});
