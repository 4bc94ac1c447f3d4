import { once } from 'node:events';
import { BUILD, startFailure, untilBound } from '@chairside/startup';
import { captureOutput, loggableError, printError } from '@chairside/telemetry';
import type { FastifyInstance } from 'fastify';
import { openListeners } from './listeners.ts';
import { createMetricsServer, type Exposed } from './metrics-server.ts';
import { watchReadiness } from './readiness.ts';

/** How long requests in flight may take after SIGTERM before their connections are closed. */
const DRAIN_TIMEOUT_MS = 9000;
/** How long the whole shutdown may take before the process exits with 1. */
const STOP_TIMEOUT_MS = 10_000;

/** A process that serves HTTP, with its bind addresses, and the resources that it opens and closes. */
export type ServerProcess = {
  app: Pick<
    FastifyInstance,
    'addHook' | 'log' | 'server' | 'listen' | 'close' | 'startup' | 'checkReadiness'
  >;
  config: { HOST: string; PORT: number; METRICS_HOST: string; METRICS_PORT: number };
  metrics: Exposed;
  /** Waits for what the requests need. Until it has resolved, requests are refused with 503. */
  prepare?(): Promise<void>;
  /** Closes what the process has opened besides the app, after the last response. */
  close?(): Promise<void>;
};

/**
 * Runs an HTTP process until SIGTERM or SIGINT: it exposes its metrics, listens, and prepares. After the signal it
 * closes the app, which lets requests in flight end, and exits with 0. It ignores further signals. It exits with 1 if the
 * start fails or if the shutdown takes longer than 10 s.
 *
 * @param assemble reads the configuration and builds the process; nothing listens yet
 */
export const runServer = async (assemble: () => Promise<ServerProcess>): Promise<void> => {
  let stopping = false;
  let endChecks = (): void => {};

  const start = async (): Promise<void> => {
    const { app, config, metrics, prepare, close } = await assemble();
    const listen = openListeners(app);
    captureOutput(app.log);
    app.log.info(BUILD, 'starting');
    const metricsServer = createMetricsServer(metrics);

    const stop = async (signal: string) => {
      if (stopping) return;
      stopping = true;
      app.log.info({ signal }, 'stopping');
      endChecks();
      setTimeout(() => {
        app.log.warn('closing the connections of unfinished requests');
        app.server.closeAllConnections();
      }, DRAIN_TIMEOUT_MS).unref();
      setTimeout(() => {
        app.log.error(`shutdown timed out after ${STOP_TIMEOUT_MS / 1000} s`);
        process.exit(1);
      }, STOP_TIMEOUT_MS).unref();
      await app.close();
      metricsServer.close();
      await close?.();
      process.exit(0);
    };
    // A program that starts the service, such as pnpm, passes on a signal that the service has received itself. Without a
    // listener, the second one would end the process at once.
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);

    metricsServer.listen(config.METRICS_PORT, config.METRICS_HOST);
    await untilBound(once(metricsServer, 'listening'), { host: 'METRICS_HOST', port: 'METRICS_PORT' });
    app.log.info({ address: metricsServer.address() }, 'exposing metrics');
    app.startup.isPreparing = true;
    await untilBound(listen({ host: config.HOST, port: config.PORT }), { host: 'HOST', port: 'PORT' });
    await prepare?.();
    if (stopping) return;
    app.startup.isPreparing = false;
    app.log.info('ready');
    endChecks = watchReadiness(() => app.checkReadiness());
  };

  try {
    await start();
  } catch (error) {
    // A signal during the start closes the connections that the start uses. That is not a failure.
    if (stopping) return;
    printError(startFailure(error) ?? JSON.stringify(loggableError(error)));
    process.exit(1);
  }
};
