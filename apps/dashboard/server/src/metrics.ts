import { type AuthorizationMetrics, grantEnds, introspectionResults } from '@chairside/authorization-server';
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
import { Counter, Gauge } from 'prom-client';

const PREFIX = 'chairside_dashboard';
/** Upper bounds of the histogram buckets, in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

/** The metrics of this process, for Prometheus. Labels contain no id and no path. */
export type Metrics = ConnectionMetrics &
  FaultMetrics &
  StallMetrics &
  RequestMetrics &
  AuthorizationMetrics &
  Exposed & {
    /** The times of the database, of the authorization server. */
    database: DatabaseTimes;
    /** The api did not respond to a request that was forwarded, or refused the secret of the dashboard. */
    apiFailed(): void;
    /** @param ready whether the api responds and accepts the secret of the dashboard */
    apiReady(ready: boolean): void;
  };

export const createMetrics = (): Metrics => {
  const registry = createRegistry();
  const registers = [registry];
  const failures = new Counter({
    name: 'chairside_dashboard_api_failures_total',
    help: 'Forwarded requests to which the api did not respond',
    registers,
  });
  const ready = new Gauge({
    name: 'chairside_dashboard_api_ready',
    help: '1 if the api responded to the last check and accepted PROXY_SECRET, otherwise 0',
    registers,
  });
  const introspections = new Counter({
    name: 'chairside_dashboard_introspections_total',
    help: 'Introspections of tokens by the connector, by result',
    labelNames: ['result'],
    registers,
  });
  for (const result of introspectionResults) introspections.inc({ result }, 0);
  const ended = new Counter({
    name: 'chairside_dashboard_grants_ended_total',
    help: 'Grants of connected apps that the authorization server has ended, by reason',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of grantEnds) ended.inc({ reason }, 0);
  const registered = new Counter({
    name: 'chairside_dashboard_clients_registered_total',
    help: 'Apps that have registered themselves',
    registers,
  });
  const limited = new Counter({
    name: 'chairside_dashboard_oauth_limited_total',
    help: 'Requests to the authorization server beyond a limit, by limit',
    labelNames: ['limit'],
    registers,
  });
  return {
    database: createDatabaseMetrics(registers),
    ...createRequestMetrics(PREFIX, BUCKETS, registers),
    ...createFaultMetrics(PREFIX, registers),
    ...createConnectionMetrics(PREFIX, registers),
    ...createStallMetrics(PREFIX, registers),
    introspected: (result) => introspections.inc({ result }),
    grantEnded: (reason) => ended.inc({ reason }),
    clientRegistered: () => registered.inc(),
    oauthLimited: (limit) => limited.inc({ limit }),
    apiFailed: () => failures.inc(),
    apiReady: (isReady) => ready.set(isReady ? 1 : 0),
    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
};
