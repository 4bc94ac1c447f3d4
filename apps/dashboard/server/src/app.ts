import {
  boundedJsonBodies,
  boundsOfStrangers,
  type DoorName,
  forwardedAddresses,
  refuseWhilePreparing,
  requestLog,
  requestMetrics,
  requireDoors,
  requireOneHost,
  serverOptions,
  type Watch,
  watchConnections,
} from '@chairside/http-server';
import fastifyCookie from '@fastify/cookie';
import Fastify from 'fastify';
import type { App, Dependencies } from './context.ts';
import { downloadRoutes } from './downloads/routes.ts';
import { forwardingRoutes } from './forwarding/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { browserHeaders } from './http/browser-headers.ts';
import { errorHandler, MAX_BODY_BYTES } from './http/error-handler.ts';
import { refuseOtherHosts, refuseOtherOrigins } from './http/same-origin.ts';
import { linkRoutes, linkUrls } from './links/routes.ts';
import { oauthRoutes } from './oauth/routes.ts';
import { pageRoutes } from './pages/routes.ts';
import { sessionRoutes } from './session/routes.ts';

type AppOptions = {
  /** Receives the lines of the log. Standard output by default. */
  stream?: { write(line: string): void };
  /** The clock by which stalled responses are found. Real time by default. */
  watch?: Watch;
};

/** The doors of the routes that the dashboard serves itself. The authorization server sets its own. */
const doorOf = ({ url }: { url: string }): DoorName | undefined => {
  if (linkUrls.includes(url)) return 'dashboard-session';
  if (url.startsWith('/api/')) return 'dashboard-forwarded';
  if (url.startsWith('/downloads/')) return 'dashboard-download';
  if (/^\/session(\/(tokens|challenge))?$/.test(url)) return 'dashboard-session';
  return /^\/(assets\/.*|health\/\w+|favicon\.svg|robots\.txt)?$/.test(url) ? 'dashboard-pages' : undefined;
};

/** Builds the dashboard, ready to listen. Hooks of one kind run in the order in which this function installs them. */
export const buildApp = async (
  dependencies: Dependencies,
  { stream, watch }: AppOptions = {},
): Promise<App> => {
  const { config, metrics } = dependencies;
  const app: App = Fastify(
    serverOptions(config, { service: 'dashboard', maxBodyBytes: MAX_BODY_BYTES, stream }),
  );
  app.setErrorHandler(errorHandler(metrics));
  // This hook comes before all that read the address of the caller.
  forwardedAddresses(app, config.TRUST_PROXY);
  watchConnections(app, metrics, watch);
  // These hooks come before all hooks that refuse requests, so that every refusal has a request id, a line in the log,
  // a count and the headers.
  requestLog(app);
  requestMetrics(app, metrics);
  browserHeaders(app);
  refuseWhilePreparing(app);
  // These checks come before all hooks that read a header.
  requireOneHost(app);
  refuseOtherHosts(app, config.PUBLIC_URL);
  refuseOtherOrigins(app, config.PUBLIC_URL);
  await app.register(fastifyCookie);

  // The bodies of the routes that the dashboard serves itself. Forwarded bodies have their own bounds.
  boundedJsonBodies(app, boundsOfStrangers(MAX_BODY_BYTES, 'dashboard_own_body'), () => undefined);
  requireDoors(app, doorOf);

  healthRoutes(app, dependencies);
  sessionRoutes(app, dependencies);
  linkRoutes(app, dependencies);
  downloadRoutes(app, dependencies);
  await forwardingRoutes(app, dependencies);
  await oauthRoutes(app, dependencies);
  await pageRoutes(app, dependencies);
  return app;
};
