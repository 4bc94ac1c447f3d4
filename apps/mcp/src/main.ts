import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMetricsServer } from '@chairside/http-server';
import { isDatabaseUnavailable, openSchedule, type Schedule } from '@chairside/mongodb/schedule';
import { openRateLimiter } from '@chairside/queue';
import { isTracingWanted, loggableError, startFailure, untilBound } from '@chairside/runtime';
import { buildApp } from './app.ts';
import { openIntrospection } from './authorization/introspection.ts';
import { readConfig } from './config.ts';
import type { App } from './context.ts';
import { createMetrics } from './metrics.ts';

/** The most concurrent operations of the connector in the database. */
const MAX_DATABASE_OPERATIONS = 20;
/** How long a request waits for a primary, or for its turn in the database, in milliseconds. */
const DATABASE_WAIT = 1500;
/** How long to wait before the next try to reach the database at the start, in milliseconds. */
const RETRY_DELAY = 1000;
/** How long requests in flight may take after SIGTERM, in milliseconds. Then their connections are closed. */
const DRAIN_TIMEOUT = 9000;
/** How long the whole shutdown may take, in milliseconds. */
const STOP_TIMEOUT = 10_000;

let stopping = false;

/**
 * Waits until the schedule can be read.
 *
 * @throws {UnusableDatabaseError} if the view of the times of appointments is missing
 */
const untilReadable = async (schedule: Schedule, log: App['log']): Promise<void> => {
  for (let hasWaited = false; !stopping; hasWaited = true) {
    try {
      await schedule.connect();
      await schedule.check();
      if (hasWaited) log.info('MongoDB is ready');
      return;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      if (!hasWaited) log.warn({ reason: loggableError(error).message }, 'waiting for MongoDB');
      await sleep(RETRY_DELAY);
    }
  }
};

const start = async (): Promise<void> => {
  const config = readConfig();
  // readConfig has checked that there is one.
  const [introspectionSecret = ''] = config.INTROSPECTION_SECRET;
  // Loaded only if tracing is enabled, because OpenTelemetry takes memory.
  const telemetry = isTracingWanted(config) ? await import('@chairside/telemetry') : undefined;
  const tracer = telemetry?.openTracer({
    serviceName: 'chairside-mcp',
    onProblem: (error) => app.log.warn({ err: error }, 'traces cannot be exported'),
  });
  const schedule = openSchedule({
    url: config.MONGODB_URL,
    appName: 'chairside-mcp',
    maxOperations: MAX_DATABASE_OPERATIONS,
    patience: { wait: DATABASE_WAIT, operation: config.MONGODB_TIMEOUT_MS },
    availability: {
      onAway: () => app.log.warn('MongoDB is unreachable'),
      onBack: () => app.log.info('MongoDB is reachable again'),
    },
    tracer,
  });
  const limiter = openRateLimiter({
    url: config.REDIS_URL,
    certificates: config.REDIS_CA_FILE,
    prefix: config.REDIS_PREFIX,
    onAway: (error) =>
      app.log.warn({ err: error }, 'Redis is unreachable: each process applies rate limits by itself'),
    onBack: () => app.log.info('Redis is reachable again: all processes share the rate limits'),
  });
  const introspection = openIntrospection(config.INTROSPECTION_URL, introspectionSecret);
  const metrics = createMetrics();
  const metricsServer = createMetricsServer(metrics);
  const app = buildApp({ config, schedule, introspection, limiter, metrics, tracer });

  const stop = async (signal: string) => {
    stopping = true;
    app.log.info({ signal }, 'stopping');
    setTimeout(() => {
      app.log.warn('closing the connections of unfinished requests');
      app.server.closeAllConnections();
    }, DRAIN_TIMEOUT).unref();
    setTimeout(() => {
      app.log.error(`shutdown timed out after ${STOP_TIMEOUT / 1000} s`);
      process.exit(1);
    }, STOP_TIMEOUT).unref();
    await app.close();
    metricsServer.close();
    await Promise.all([limiter.close(), introspection.close()]);
    await schedule.close();
    await tracer?.close();
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);

  metricsServer.listen(config.METRICS_PORT, config.METRICS_HOST);
  await untilBound(once(metricsServer, 'listening'), { host: 'METRICS_HOST', port: 'METRICS_PORT' });
  app.log.info({ address: metricsServer.address() }, 'exposing metrics');
  await untilReadable(schedule, app.log);
  if (stopping) return;
  await untilBound(app.listen({ host: config.HOST, port: config.PORT }), { host: 'HOST', port: 'PORT' });
};

start().catch((error: unknown) => {
  // A signal during the start closes the connections that the start uses. That is not a failure.
  if (stopping) return;
  console.error(startFailure(error) ?? error);
  process.exit(1);
});
