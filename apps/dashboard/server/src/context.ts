import type { FastifyInstance } from 'fastify';
import type { Api } from './api.ts';
import type { Config } from './config.ts';
import type { Metrics } from './metrics.ts';
import type { SessionCookie } from './session/cookie.ts';

export type App = FastifyInstance;

/** What the routes work with. */
export type Dependencies = {
  config: Pick<Config, 'PUBLIC_URL' | 'API_URL' | 'TRUST_PROXY' | 'LOG_LEVEL'>;
  /** The secret that proves the dashboard to the api. */
  proxySecret: string;
  api: Api;
  cookie: SessionCookie;
  metrics: Metrics;
  /** The folder of the built pages. */
  pages: string;
};
