import { once } from 'node:events';
import { ServiceError } from '@chairside/domain';
import { DATA_KEYS_IN_DATABASE, loggedEncryption, loggedRegistration, loggedWait } from '@chairside/mongodb';
import { openDispatchStore } from '@chairside/mongodb/dispatch';
import { BUILD, isTracingWanted, startFailure, untilBound } from '@chairside/startup';
import { captureOutput, loggableError, logOutput, printError } from '@chairside/telemetry';
import pino from 'pino';
import { readConfig } from './config.ts';
import { createHealthServer } from './monitoring/health-server.ts';
import { createMetrics } from './monitoring/metrics.ts';
import { createWait } from './named-waits.ts';
import { startWorkers, type Workers } from './workers.ts';

/** How long the shutdown may take after SIGTERM or SIGINT. */
const DRAIN_TIMEOUT_MS = 6000;
/** The timeout of a database operation. It is shorter than the lifetime of a claim (30 s). */
const DATABASE_TIMEOUT_MS = 20_000;

let stopping = false;

const start = async (): Promise<void> => {
  const config = readConfig();
  const log = pino(
    {
      level: config.LOG_LEVEL,
      base: { service: 'webhook-dispatcher' },
      serializers: { err: loggableError },
    },
    logOutput(),
  );
  captureOutput(log);
  log.info(BUILD, 'starting');
  // The package is loaded only if tracing is configured.
  const telemetry = isTracingWanted(config) ? await import('@chairside/telemetry/opentelemetry') : undefined;
  const tracer = telemetry?.openTracer({
    serviceName: 'chairside-webhook-dispatcher',
    onProblem: (error) => log.warn({ err: error }, 'traces cannot be exported'),
  });
  // The backlog is measured when the store is open.
  const metrics = createMetrics(
    { measure: () => store.everyOrganization.backlog.measure() },
    { usedShare: () => store.ciphers.usedShare() },
  );
  const store = openDispatchStore({
    url: config.MONGODB_URL,
    encryptionKeys: config.ENCRYPTION_KEYS,
    vaultUrl: config.VAULT_URL,
    encryption: loggedEncryption(() => log, metrics.encryption),
    auditRetentionDays: config.AUDIT_RETENTION_DAYS,
    indexBuildMaxDocuments: config.INDEX_BUILD_MAX_DOCUMENTS,
    appName: 'chairside-webhook-dispatcher',
    registration: { ...loggedRegistration('webhook-dispatcher', () => log), outbound: config.OUTBOUND },
    patience: { operationMs: DATABASE_TIMEOUT_MS },
    availability: {
      onUnavailable: () => log.warn('MongoDB is unreachable'),
      onAvailable: () => log.info('MongoDB is reachable again'),
    },
    times: metrics.database,
    tracer,
  });
  let workers: Workers | undefined;
  const health = createHealthServer({
    metrics,
    async check() {
      if (workers === undefined) throw new ServiceError('the database is being prepared');
      if (workers.isOut()) throw new ServiceError('no receiver can be reached');
      if (workers.isSweepStuck()) throw new ServiceError('the sweep is stuck');
      await store.ping();
    },
  });

  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    const { waitFor, waitedFor } = createWait();
    setTimeout(() => {
      log.error({ waitedFor: waitedFor() }, `shutdown timed out after ${DRAIN_TIMEOUT_MS / 1000} s`);
      process.exit(1);
    }, DRAIN_TIMEOUT_MS).unref();
    health.close();
    await workers?.stop(waitFor);
    await waitFor('database', store.close());
    await tracer?.close();
    process.exit(0);
  };
  // A program that starts the service, such as pnpm, passes on a signal that the service has received itself. Without a
  // listener, the second one would end the process at once, and its attempts would be `interrupted`.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  health.listen(config.HEALTH_PORT, config.HEALTH_HOST);
  await untilBound(once(health, 'listening'), { host: 'HEALTH_HOST', port: 'HEALTH_PORT' });
  await store.prepare(loggedWait(log));
  if (config.VAULT_URL === '') log.info(DATA_KEYS_IN_DATABASE);
  if (stopping) return;
  workers = startWorkers(config, store, log, metrics, { tracer });
  log.info({ worker: workers.worker, address: health.address() }, 'dispatching');
  if (config.OUTBOUND !== 'send') log.warn({ outbound: config.OUTBOUND }, 'no delivery is sent');
};

start().catch((error: unknown) => {
  // If a signal has interrupted the start, the error is not a failure.
  if (stopping) return;
  printError(startFailure(error) ?? JSON.stringify(loggableError(error)));
  process.exit(1);
});
