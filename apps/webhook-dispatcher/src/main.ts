import { once } from 'node:events';
import { ServiceError } from '@chairside/domain';
import { DATA_KEYS_IN_DATABASE, loggedEncryption, loggedRegistration, loggedWait } from '@chairside/mongodb';
import { createUsageCount, openDispatchStore, type RestoreState } from '@chairside/mongodb/dispatch';
import { BUILD, isTracingWanted, startFailure, untilBound } from '@chairside/startup';
import { captureOutput, loggableError, logOutput, printError } from '@chairside/telemetry';
import pino from 'pino';
import { readConfig } from './config.ts';
import { createHealthServer } from './monitoring/health-server.ts';
import { createMetrics } from './monitoring/metrics.ts';
import { createWait } from './named-waits.ts';
import { startRestoreWatch } from './outbound/restore-watch.ts';
import { startWorkers, type Workers } from './workers.ts';

/** How long the shutdown may take after SIGTERM or SIGINT. */
const DRAIN_TIMEOUT_MS = 6000;
/** The timeout of a database operation. It is shorter than the lifetime of a claim (30 s). */
const DATABASE_TIMEOUT_MS = 20_000;

const RESTORE_STATES: Readonly<Record<RestoreState, string>> = {
  current: 'Nothing is held any more because of a restore.',
  restored:
    'This database was restored from a backup. Nothing is sent until chairside-admin restore seal and outbound release or discard, or restore none. See docs/operation/backup.md, "Restore".',
  sealed:
    'This database was restored and sealed. What waits is sent after chairside-admin outbound release, or skipped after outbound discard.',
};
const WENT_BACK =
  'the database was restored under this process: what was ended since the backup works again (docs/operation/backup.md, "Restore")';

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
  let outbound = config.OUTBOUND;
  const usage = createUsageCount();
  const store = openDispatchStore({
    url: config.MONGODB_URL,
    encryptionKeys: config.ENCRYPTION_KEYS,
    vaultUrl: config.VAULT_URL,
    encryption: loggedEncryption(() => log, metrics.encryption),
    auditRetentionDays: config.AUDIT_RETENTION_DAYS,
    indexBuildMaxDocuments: config.INDEX_BUILD_MAX_DOCUMENTS,
    appName: 'chairside-webhook-dispatcher',
    registration: { ...loggedRegistration('webhook-dispatcher', () => log), outbound: () => outbound, usage },
    patience: { operationMs: DATABASE_TIMEOUT_MS },
    availability: {
      onUnavailable: () => log.warn('MongoDB is unreachable'),
      onAvailable: () => log.info('MongoDB is reachable again'),
    },
    times: metrics.database,
    tracer,
  });
  let workers: Workers | undefined;
  let watch: ReturnType<typeof startRestoreWatch> | undefined;
  const health = createHealthServer({
    metrics,
    async check() {
      if (workers === undefined) throw new ServiceError('the database is being prepared');
      if (workers.isOut()) throw new ServiceError('no receiver can be reached');
      if (workers.isSweepStuck()) throw new ServiceError('the sweep is stuck');
      await store.ping();
    },
  });

  const stop = async (reason: object, exitCode: number) => {
    if (stopping) return;
    stopping = true;
    log.info(reason, 'stopping');
    const { waitFor, waitedFor } = createWait();
    setTimeout(() => {
      log.error({ waitedFor: waitedFor() }, `shutdown timed out after ${DRAIN_TIMEOUT_MS / 1000} s`);
      process.exit(1);
    }, DRAIN_TIMEOUT_MS).unref();
    health.close();
    await waitFor('restore watch', watch?.stop() ?? Promise.resolve());
    await workers?.stop(waitFor);
    await waitFor('database', store.close());
    await tracer?.close();
    process.exit(exitCode);
  };
  // A program that starts the service, such as pnpm, passes on a signal that the service has received itself. Without a
  // listener, the second one would end the process at once, and its attempts would be `interrupted`.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop({ signal }, 0));

  health.listen(config.HEALTH_PORT, config.HEALTH_HOST);
  await untilBound(once(health, 'listening'), { host: 'HEALTH_HOST', port: 'HEALTH_PORT' });
  await store.prepare(loggedWait(log));
  if (config.VAULT_URL === '') log.info(DATA_KEYS_IN_DATABASE);
  if (stopping) return;
  const { restoreWatch } = store.everyOrganization;
  // A copy for tests must change nothing in the vault, which may still be that of production.
  const isCopy = outbound === 'off';
  const startedAs = isCopy ? 'current' : await restoreWatch.state();
  if (startedAs !== 'current') outbound = 'hold';
  workers = startWorkers({ ...config, OUTBOUND: outbound }, store, log, metrics, { tracer, usage });
  if (!isCopy)
    watch = startRestoreWatch({
      restoreWatch,
      startedAs,
      onChange(state) {
        log.error({ state }, `${RESTORE_STATES[state]} This process starts again`);
        void stop({ state }, 1);
      },
      onWentBack: () => log.warn(WENT_BACK),
      onError: (error) => log.warn({ err: error }, 'the vault cannot be told what has ended'),
    });
  log.info({ worker: workers.worker, address: health.address() }, 'dispatching');
  if (startedAs !== 'current') log.error({ state: startedAs }, RESTORE_STATES[startedAs]);
  if (outbound !== 'send') log.warn({ outbound }, 'no delivery is sent');
};

start().catch((error: unknown) => {
  // If a signal has interrupted the start, the error is not a failure.
  if (stopping) return;
  printError(startFailure(error) ?? JSON.stringify(loggableError(error)));
  process.exit(1);
});
