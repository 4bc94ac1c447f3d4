import { runServer } from '@chairside/http-server';
import {
  createUsageCount,
  DATA_KEYS_IN_DATABASE,
  loggedEncryption,
  loggedRegistration,
  loggedWait,
  openStore,
} from '@chairside/mongodb';
import { openStrength } from '@chairside/passwords';
import { openEventProducer, openRateLimiter } from '@chairside/queue';
import { isTracingWanted } from '@chairside/startup';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';
import { MAX_DATABASE_OPERATIONS } from './http/error-handler.ts';
import { withSpans } from './http/event-spans.ts';
import { createMetrics } from './monitoring/metrics.ts';

/** How long a request waits for a primary, or for its turn in the database. */
const DATABASE_WAIT_MS = 1500;
await runServer(async () => {
  const config = readConfig();
  // Loaded only if tracing is enabled, because OpenTelemetry takes memory.
  const telemetry = isTracingWanted(config) ? await import('@chairside/telemetry/opentelemetry') : undefined;
  const tracer = telemetry?.openTracer({
    serviceName: 'chairside-api',
    onProblem: (error) => app.log.warn({ err: error }, 'traces cannot be exported'),
  });
  // These metrics are collected when everything below is open.
  const metrics = createMetrics(
    { isReady: () => queue.isReady() },
    {
      passwords: { waiting: () => store.passwords.waiting() },
      operations: { waiting: () => store.operations.waiting() },
      ciphers: { usedShare: () => store.ciphers.usedShare() },
    },
  );
  const usage = createUsageCount();
  const store = openStore({
    url: config.MONGODB_URL,
    encryptionKeys: config.ENCRYPTION_KEYS,
    vaultUrl: config.VAULT_URL,
    encryption: loggedEncryption(() => app.log, metrics.encryption),
    auditRetentionDays: config.AUDIT_RETENTION_DAYS,
    indexBuildMaxDocuments: config.INDEX_BUILD_MAX_DOCUMENTS,
    appName: 'chairside-api',
    registration: {
      ...loggedRegistration(
        'api',
        () => app.log,
        () => app.hasUnreadableCallers,
      ),
      usage,
    },
    maxOperations: MAX_DATABASE_OPERATIONS,
    patience: { waitMs: DATABASE_WAIT_MS, operationMs: config.MONGODB_TIMEOUT_MS },
    availability: {
      onUnavailable: () => app.log.warn('MongoDB is unreachable'),
      onAvailable: () => app.log.info('MongoDB is reachable again'),
    },
    times: metrics.database,
    tracer,
  });
  const redis = (whileUnreachable: string, whenBack: string) => ({
    url: config.REDIS_URL,
    certificates: config.REDIS_CA_FILE,
    prefix: config.REDIS_PREFIX,
    onUnavailable: (error: Error) =>
      app.log.warn({ err: error }, `Redis is unreachable: ${whileUnreachable}`),
    onAvailable: () => app.log.info(`Redis is reachable again: ${whenBack}`),
  });
  const queue = openEventProducer(
    redis('events are delivered by the sweep', 'events are queued immediately'),
  );
  const limiter = openRateLimiter(
    redis('each process applies rate limits by itself', 'all processes share the rate limits'),
  );
  const strength = openStrength();
  const app = await buildApp({
    config,
    store,
    queue: tracer ? withSpans(queue, tracer) : queue,
    limiter,
    strength,
    metrics,
    usage,
    tracer,
  });

  return {
    app,
    config,
    metrics,
    async prepare() {
      await store.prepare(loggedWait(app.log));
      if (config.VAULT_URL === '') app.log.info(DATA_KEYS_IN_DATABASE);
    },
    async close() {
      await Promise.all([queue.close(), limiter.close(), strength.close()]);
      await store.close();
      await tracer?.close();
    },
  };
});
