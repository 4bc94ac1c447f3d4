import type { AuthorizationServer } from '@chairside/authorization-server';
import type { FastifyInstance } from 'fastify';
import type { Api } from './api.ts';
import type { Config } from './config.ts';
import type { Metrics } from './metrics.ts';
import type { SessionCookie } from './session-cookie.ts';

export type App = FastifyInstance;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route ignores cookies. Then it accepts requests from any origin. */
    ignoresCookies?: boolean;
  }
}

/** The settings, connections and metrics that the routes use. */
export type Dependencies = {
  config: Pick<Config, 'PUBLIC_URL' | 'API_URL' | 'TRUST_PROXY' | 'LOG_LEVEL'>;
  /** The secret that authenticates the dashboard to the api. */
  proxySecret: string;
  api: Api;
  cookie: SessionCookie;
  metrics: Metrics;
  /** The folder of the built pages. */
  pages: string;
  /** The authorization server of the connector; absent without MCP_URL. */
  oauth?: AuthorizationServer | undefined;
};
