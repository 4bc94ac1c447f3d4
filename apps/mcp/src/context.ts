import type { Schedule } from '@chairside/mongodb/schedule';
import type { RateLimiter } from '@chairside/queue';
import type { Tracer } from '@chairside/telemetry';
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { FastifyInstance } from 'fastify';
import type { Config } from './config.ts';
import type { Introspection } from './introspection.ts';
import type { Metrics } from './metrics.ts';
import type { ToolOutcome } from './tools/tool.ts';

export type App = FastifyInstance;

/** The settings, connections and metrics that the routes use. */
export type Dependencies = {
  config: Pick<Config, 'MCP_URL' | 'AUTHORIZATION_SERVER_URL' | 'LOG_LEVEL' | 'TRUST_PROXY'>;
  schedule: Schedule;
  introspection: Introspection;
  limiter: Pick<RateLimiter, 'take'>;
  metrics: Metrics;
  /** Absent unless tracing is enabled. */
  tracer?: Tracer | undefined;
  /** The clock that decides whether a slot is in the future. Real time by default. */
  now?: () => Date;
};

/** What an access token allows: reads of one organization, until its grant ends. */
export type Grant = { organizationId: string; grantId: string };

/** The progress of a tool call, for the log, the metrics and the response. It contains no arguments and no rows. */
export type ToolCall = {
  tool: string;
  outcome: ToolOutcome;
  /** The number of rows in the lists of the result. Lists inside of rows do not count. */
  rows: number;
  /** The reason why the call failed or was not possible. */
  cause?: unknown;
};

declare module 'fastify' {
  interface FastifyRequest {
    /** The checked access token; null before the check. */
    authInfo: AuthInfo | null;
    grant: Grant | null;
    toolCall: ToolCall | null;
    /** Reports the call of a tool to the dashboard; null before the token is checked. */
    reportCall: ((tool: string) => Promise<unknown>) | null;
    /** Aborted when the caller has gone, or has the response; null before the call of a tool. */
    gone: AbortSignal | null;
  }
}
