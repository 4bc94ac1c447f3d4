import { once } from 'node:events';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  closeIntrospection,
  createIntrospectionServer,
  oauthConfigOf,
  openAuthorizationServer,
} from '@chairside/authorization-server';
import { runServer } from '@chairside/http-server';
import { untilBound } from '@chairside/startup';
import { createApi } from './api.ts';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';
import { createMetrics } from './metrics.ts';
import { createSessionCookie } from './session-cookie.ts';

await runServer(async () => {
  const config = readConfig();
  // readConfig has checked that there is at least one secret.
  const [proxySecret = ''] = config.PROXY_SECRET;
  const metrics = createMetrics();
  const oauthConfig = oauthConfigOf(config);
  const oauth =
    oauthConfig &&
    openAuthorizationServer(oauthConfig, metrics, {
      times: metrics.database,
      log: () => app.log,
      hasUnreadableCallers: () => app.hasUnreadableCallers,
    });
  const app = await buildApp({
    config,
    proxySecret,
    api: createApi(config.API_URL, proxySecret),
    cookie: createSessionCookie(config.PUBLIC_URL),
    metrics,
    pages: dirname(fileURLToPath(import.meta.resolve('@chairside/dashboard-web/index.html'))),
    oauth,
  });
  if (oauth === undefined) return { app, config, metrics };

  const options = { secrets: config.INTROSPECTION_SECRET, metrics, log: app.log };
  const introspection = createIntrospectionServer(oauth, options);
  return {
    app,
    config,
    metrics,
    async prepare() {
      oauth.store.register();
      introspection.listen(config.INTROSPECTION_PORT, config.INTROSPECTION_HOST);
      const settings = { host: 'INTROSPECTION_HOST', port: 'INTROSPECTION_PORT' };
      await untilBound(once(introspection, 'listening'), settings);
      app.log.info({ address: introspection.address() }, 'introspecting tokens');
    },
    async close() {
      await closeIntrospection(introspection);
      await oauth.close();
    },
  };
});
