import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runServer } from '@chairside/http-server';
import { createApi } from './api.ts';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';
import { createMetrics } from './metrics.ts';
import { createSessionCookie } from './session/cookie.ts';

await runServer(async () => {
  const config = readConfig();
  // readConfig has checked that there is one.
  const [proxySecret = ''] = config.PROXY_SECRET;
  const metrics = createMetrics();
  const app = await buildApp({
    config,
    proxySecret,
    api: createApi(config.API_URL, proxySecret),
    cookie: createSessionCookie(config.PUBLIC_URL),
    metrics,
    pages: dirname(fileURLToPath(import.meta.resolve('@chairside/dashboard-web/index.html'))),
  });
  return { app, config, metrics };
});
