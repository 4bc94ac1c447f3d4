import type { Schedule } from '@chairside/mongodb/schedule';
import type { RateLimiter } from '@chairside/queue';
import type { Tracer } from '@chairside/runtime';
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { FastifyInstance } from 'fastify';
import type { Config } from './config.ts';
import type { Introspection } from './introspection.ts';
import type { Metrics } from './metrics.ts';
import type { ToolOutcome } from './tools/tool.ts';

export type App = FastifyInstance;

/** What the routes work with. */
export type Dependencies = {
  config: Pick<Config, 'MCP_URL' | 'AUTHORIZATION_SERVER_URL' | 'LOG_LEVEL'>;
  schedule: Schedule;
  introspection: Introspection;
  limiter: Pick<RateLimiter, 'take'>;
  metrics: Metrics;
  /** Absent unless tracing is enabled. */
  tracer?: Tracer | undefined;
  /** The clock by which slots are in the future. Real time by default. */
  now?: () => Date;
};

/** What an access token allows: reads of one organization, for as long as its grant lives. */
export type Grant = { organizationId: string; grantId: string };

/** A call of a tool, as far as it has come, without any value: for the log, the metrics and the response. */
export type ToolCall = {
  tool: string;
  outcome: ToolOutcome;
  /** The rows in all lists of the result. */
  rows: number;
  /** Why it has failed. */
  cause?: unknown;
};

declare module 'fastify' {
  interface FastifyRequest {
    /** The access token, checked; null before. */
    authInfo: AuthInfo | null;
    grant: Grant | null;
    toolCall: ToolCall | null;
  }
}
