import type { Tracer } from '@chairside/runtime';
import type { FastifyInstance } from 'fastify';
import type { Api } from './api.ts';
import type { Config } from './config.ts';
import type { Metrics } from './metrics.ts';
import type { SessionCookie } from './session/cookie.ts';

export type App = FastifyInstance;

/** What the routes work with. */
export type Dependencies = {
  config: Pick<Config, 'PUBLIC_URL' | 'API_URL' | 'PROXY_SECRET' | 'TRUST_PROXY' | 'LOG_LEVEL'>;
  api: Api;
  cookie: SessionCookie;
  metrics: Metrics;
  tracer?: Tracer | undefined;
  /** The folder of the built pages. */
  pages: string;
};
