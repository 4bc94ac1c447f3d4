import { once } from 'node:events';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMetricsServer } from '@chairside/http-server';
import { startFailure, untilBound } from '@chairside/runtime';
import { createApi } from './api.ts';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';
import { createMetrics } from './metrics.ts';
import { openAuthorizationServer } from './oauth/authorization-server.ts';
import { createIntrospectionServer } from './oauth/introspection.ts';
import { oauthConfigOf } from './oauth/settings.ts';
import { createSessionCookie } from './session/cookie.ts';

/** How long requests in flight may take after SIGTERM, in milliseconds. Then their connections are closed. */
const DRAIN_TIMEOUT = 9000;
/** How long the whole shutdown may take, in milliseconds. */
const STOP_TIMEOUT = 10_000;

let stopping = false;

const start = async (): Promise<void> => {
  const config = readConfig();
  // readConfig has checked that there is one.
  const [proxySecret = ''] = config.PROXY_SECRET;
  const metrics = createMetrics();
  const metricsServer = createMetricsServer(metrics);
  const oauthConfig = oauthConfigOf(config);
  const oauth = oauthConfig && openAuthorizationServer(oauthConfig, metrics);
  const app = await buildApp({
    config,
    proxySecret,
    api: createApi(config.API_URL, proxySecret),
    cookie: createSessionCookie(config.PUBLIC_URL),
    metrics,
    pages: dirname(fileURLToPath(import.meta.resolve('@chairside/dashboard-web/index.html'))),
    oauth,
  });
  const introspection =
    oauth &&
    createIntrospectionServer(oauth, { secrets: config.INTROSPECTION_SECRET, metrics, log: app.log });

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
    introspection?.close();
    await oauth?.close();
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);

  metricsServer.listen(config.METRICS_PORT, config.METRICS_HOST);
  await untilBound(once(metricsServer, 'listening'), { host: 'METRICS_HOST', port: 'METRICS_PORT' });
  app.log.info({ address: metricsServer.address() }, 'exposing metrics');
  if (introspection !== undefined) {
    introspection.listen(config.INTROSPECTION_PORT, config.INTROSPECTION_HOST);
    const settings = { host: 'INTROSPECTION_HOST', port: 'INTROSPECTION_PORT' };
    await untilBound(once(introspection, 'listening'), settings);
    app.log.info({ address: introspection.address() }, 'introspecting tokens');
  }
  await untilBound(app.listen({ host: config.HOST, port: config.PORT }), { host: 'HOST', port: 'PORT' });
};

start().catch((error: unknown) => {
  // A signal during the start closes the connections that the start uses. That is not a failure.
  if (stopping) return;
  console.error(startFailure(error) ?? error);
  process.exit(1);
});
