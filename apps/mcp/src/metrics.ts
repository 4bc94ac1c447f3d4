import {
  type ConnectionMetrics,
  createConnectionMetrics,
  createFaultMetrics,
  createRequestMetrics,
  createStallMetrics,
  type Exposed,
  type FaultMetrics,
  type RequestMetrics,
  type StallMetrics,
} from '@chairside/http-server';
import type { DatabaseTimes } from '@chairside/telemetry';
import { createDatabaseMetrics, createRegistry } from '@chairside/telemetry/metrics';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { ToolOutcome } from './tools/tool.ts';

const PREFIX = 'chairside_mcp';
/** Upper bounds of the histogram buckets, in seconds. */
const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

/** The metrics of this process, for Prometheus. Labels contain no id and no value. */
export type Metrics = ConnectionMetrics &
  FaultMetrics &
  StallMetrics &
  RequestMetrics &
  Exposed & {
    /** The times of the database. */
    database: DatabaseTimes;
    /** @param tool the name of a tool that exists */
    called(call: { tool: string; outcome: ToolOutcome; seconds: number }): void;
    /** The dashboard did not say whether an access token is valid. */
    introspectionFailed(): void;
    /** @param state what the last readiness check has found */
    ready(state: { database: boolean; introspection: boolean }): void;
  };

export const createMetrics = (): Metrics => {
  const registry = createRegistry();
  const registers = [registry];
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
  const databaseReady = new Gauge({
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
    database: createDatabaseMetrics(registers),
    ...createRequestMetrics(PREFIX, BUCKETS, registers),
    ...createFaultMetrics(PREFIX, registers),
    ...createConnectionMetrics(PREFIX, registers),
    ...createStallMetrics(PREFIX, registers),
    called: ({ tool, outcome, seconds }) => calls.observe({ tool, outcome }, seconds),
    introspectionFailed: () => failures.inc(),
    ready(state) {
      databaseReady.set(state.database ? 1 : 0);
      introspection.set(state.introspection ? 1 : 0);
    },
    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
};
