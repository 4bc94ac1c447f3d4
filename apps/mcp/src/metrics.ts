import type { ConnectionMetrics, Exposed, RequestMetrics, StallMetrics } from '@chairside/http-server';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ToolOutcome } from './tools/tool.ts';

/** In seconds. */
const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

/** The metrics of this process, for Prometheus. Labels contain tools, routes and statuses, never an id or a value. */
export type Metrics = ConnectionMetrics &
  StallMetrics &
  RequestMetrics &
  Exposed & {
    /** @param tool the name of a tool that exists */
    called(call: { tool: string; outcome: ToolOutcome; seconds: number }): void;
    /** The dashboard did not say whether an access token is valid. */
    introspectionFailed(): void;
    /** @param state what the last readiness check has found */
    ready(state: { database: boolean; introspection: boolean }): void;
  };

const createConnectionMetrics = (registers: Registry[]): ConnectionMetrics & StallMetrics => {
  const connections = new Gauge({
    name: 'chairside_mcp_connections',
    help: 'Connections that are open',
    registers,
  });
  const dropped = new Counter({
    name: 'chairside_mcp_connections_dropped_total',
    help: 'Connections that were closed because too many were open',
    registers,
  });
  const stalled = new Counter({
    name: 'chairside_mcp_stalled_responses_total',
    help: 'Responses whose connection was closed because their reader was too slow',
    registers,
  });
  return {
    connections: (count) => connections.set(count),
    dropped: () => dropped.inc(),
    closedStalled: () => stalled.inc(),
  };
};

export const createMetrics = (): Metrics => {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'chairside_mcp_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers,
  });
  const calls = new Histogram({
    name: 'chairside_mcp_tool_duration_seconds',
    help: 'Time of a tool call, by outcome: answered, invalid (arguments), refused, unavailable (database), failed',
    labelNames: ['tool', 'outcome'],
    buckets: BUCKETS,
    registers,
  });
  const failures = new Counter({
    name: 'chairside_mcp_introspection_failures_total',
    help: 'Requests for which the dashboard did not say whether the access token is valid',
    registers,
  });
  const database = new Gauge({
    name: 'chairside_mcp_database_ready',
    help: '1 if the last readiness check could read the schedule, otherwise 0',
    registers,
  });
  const introspection = new Gauge({
    name: 'chairside_mcp_introspection_ready',
    help: '1 if the dashboard responded to the last readiness check and accepted INTROSPECTION_SECRET, otherwise 0',
    registers,
  });
  return {
    ...createConnectionMetrics(registers),
    responded: ({ method, route, statusCode, seconds }) =>
      requests.observe({ method, route, status: String(statusCode) }, seconds),
    called: ({ tool, outcome, seconds }) => calls.observe({ tool, outcome }, seconds),
    introspectionFailed: () => failures.inc(),
    ready(state) {
      database.set(state.database ? 1 : 0);
      introspection.set(state.introspection ? 1 : 0);
    },
    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
};
