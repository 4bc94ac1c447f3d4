import { once } from 'node:events';
import { createMetricsServer } from '@chairside/http-server';
import { loggedWait, openStore } from '@chairside/mongodb';
import { openEventProducer, openRateLimiter } from '@chairside/queue';
import { isTracingWanted, startFailure, untilBound } from '@chairside/runtime';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';
import { MAX_DATABASE_OPERATIONS } from './http/error-handler.ts';
import { withSpans } from './http/event-spans.ts';
import { createMetrics } from './metrics.ts';

/** How long a request waits for a primary, or for its turn in the database, in milliseconds. */
const DATABASE_WAIT = 1500;
/** How long requests in flight may take after SIGTERM, in milliseconds. Then their connections are closed. */
const DRAIN_TIMEOUT = 9000;
/** How long the whole shutdown may take, in milliseconds. */
const STOP_TIMEOUT = 10_000;

let stopping = false;

const start = async (): Promise<void> => {
  const config = readConfig();
  // Loaded only if tracing is enabled, because OpenTelemetry takes memory.
  const telemetry = isTracingWanted(config) ? await import('@chairside/telemetry') : undefined;
  const tracer = telemetry?.openTracer({
    serviceName: 'chairside-api',
    onProblem: (error) => app.log.warn({ err: error }, 'traces cannot be exported'),
  });
  const store = openStore({
    url: config.MONGODB_URL,
    encryptionKeys: config.ENCRYPTION_KEYS,
    auditRetentionDays: config.AUDIT_RETENTION_DAYS,
    appName: 'chairside-api',
    maxOperations: MAX_DATABASE_OPERATIONS,
    patience: { wait: DATABASE_WAIT, operation: config.MONGODB_TIMEOUT_MS },
    availability: {
      onAway: () => app.log.warn('MongoDB is unreachable'),
      onBack: () => app.log.info('MongoDB is reachable again'),
    },
    tracer,
  });
  const redis = (whileUnreachable: string, whenBack: string) => ({
    url: config.REDIS_URL,
    certificates: config.REDIS_CA_FILE,
    prefix: config.REDIS_PREFIX,
    onAway: (error: Error) => app.log.warn({ err: error }, `Redis is unreachable: ${whileUnreachable}`),
    onBack: () => app.log.info(`Redis is reachable again: ${whenBack}`),
  });
  const queue = openEventProducer(
    redis('events are delivered by the sweep', 'events are queued immediately'),
  );
  const limiter = openRateLimiter(
    redis('each process applies rate limits by itself', 'all processes share the rate limits'),
  );
  const metrics = createMetrics(queue, store.passwords);
  const metricsServer = createMetricsServer(metrics);
  const app = await buildApp({
    config,
    store,
    queue: tracer ? withSpans(queue, tracer) : queue,
    limiter,
    metrics,
    tracer,
  });

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
    await Promise.all([queue.close(), limiter.close()]);
    await store.close();
    await tracer?.close();
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);

  metricsServer.listen(config.METRICS_PORT, config.METRICS_HOST);
  await untilBound(once(metricsServer, 'listening'), { host: 'METRICS_HOST', port: 'METRICS_PORT' });
  app.log.info({ address: metricsServer.address() }, 'exposing metrics');
  await store.prepare(loggedWait(app.log));
  if (stopping) return;
  await untilBound(app.listen({ host: config.HOST, port: config.PORT }), { host: 'HOST', port: 'PORT' });
};

start().catch((error: unknown) => {
  // A signal during the start closes the connections that the start uses. That is not a failure.
  if (stopping) return;
  console.error(startFailure(error) ?? error);
  process.exit(1);
});
