import { newId } from '@chairside/domain';
import {
  boundConnections,
  closeStalledResponses,
  connections,
  drain,
  ignoreExpectations,
  refuseSeveralHosts,
  requestLog,
  undecodablePaths,
  type Watch,
} from '@chairside/http-server';
import { loggableError } from '@chairside/runtime';
import fastifyCookie from '@fastify/cookie';
import Fastify, { LogController } from 'fastify';
import type { App, Dependencies } from './context.ts';
import { downloadRoutes } from './downloads/routes.ts';
import { forwardingRoutes } from './forwarding/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { errorHandler, MAX_BODY_BYTES } from './http/error-handler.ts';
import { refuseOtherHosts, refuseOtherOrigins } from './http/same-origin.ts';
import { securityHeaders } from './http/security-headers.ts';
import { oauthRoutes } from './oauth/routes.ts';
import { pageRoutes } from './pages/routes.ts';
import { sessionRoutes } from './session/routes.ts';

type AppOptions = {
  /** Receives the lines of the log. Standard output by default. */
  stream?: { write(line: string): void };
  /** The clock by which stalled responses are found. Real time by default. */
  watch?: Watch;
};

const createFastify = ({ config }: Dependencies, { stream }: AppOptions): App =>
  Fastify({
    ...connections,
    bodyLimit: MAX_BODY_BYTES,
    genReqId: () => newId(),
    requestIdHeader: false,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    logger: {
      level: config.LOG_LEVEL,
      base: { service: 'dashboard' },
      serializers: { err: loggableError },
      ...(stream && { stream }),
    },
    trustProxy: config.TRUST_PROXY.length > 0 ? config.TRUST_PROXY : false,
    // A request on an open connection gets its normal response while the app closes.
    return503OnClosing: false,
    ...undecodablePaths,
  });

/** Builds the dashboard, ready to listen. Hooks of one kind run in the order of this function. */
export const buildApp = async (dependencies: Dependencies, options: AppOptions = {}): Promise<App> => {
  const { config, metrics } = dependencies;
  const app = createFastify(dependencies, options);
  app.setErrorHandler(errorHandler);
  // These four watch connections and responses. They refuse nothing, so their order does not matter.
  ignoreExpectations(app);
  boundConnections(app, metrics);
  drain(app);
  closeStalledResponses(app, metrics, options.watch);
  // Before all hooks that refuse: every refusal has a request id, a line in the log, a count and the headers.
  requestLog(app);
  app.addHook('onResponse', async ({ method, routeOptions }, { statusCode, elapsedTime }) => {
    metrics.responded({ method, route: routeOptions.url ?? 'none', statusCode, seconds: elapsedTime / 1000 });
  });
  await securityHeaders(app);
  // Before all hooks that read a header.
  refuseSeveralHosts(app);
  refuseOtherHosts(app, config.PUBLIC_URL);
  refuseOtherOrigins(app, config.PUBLIC_URL);
  await app.register(fastifyCookie);

  healthRoutes(app, dependencies);
  sessionRoutes(app, dependencies);
  downloadRoutes(app, dependencies);
  await forwardingRoutes(app, dependencies);
  await oauthRoutes(app, dependencies);
  await pageRoutes(app, dependencies);
  return app;
};
