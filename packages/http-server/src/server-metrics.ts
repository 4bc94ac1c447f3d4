import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ConnectionMetrics } from './connections.ts';
import type { RequestMetrics } from './request-metrics.ts';
import type { StallMetrics } from './stalled-responses.ts';

/**
 * Registers the histogram `<prefix>_request_duration_seconds`, with the labels method, route and status, and the counter
 * `<prefix>_request_computing_seconds_total`, with the labels method and route.
 *
 * @param buckets the upper bounds of the buckets, in seconds
 */
export const createRequestMetrics = (
  prefix: string,
  buckets: number[],
  registers: Registry[],
): RequestMetrics => {
  const duration = new Histogram({
    name: `${prefix}_request_duration_seconds`,
    help: 'Time from the arrival of a request to the end of its response',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers,
  });
  const computing = new Counter({
    name: `${prefix}_request_computing_seconds_total`,
    help: 'Time for which the process computed for requests, without waiting',
    labelNames: ['method', 'route'],
    registers,
  });
  return {
    responded({ method, route, statusCode, seconds, computedSeconds }) {
      duration.observe({ method, route, status: String(statusCode) }, seconds);
      computing.inc({ method, route }, computedSeconds);
    },
  };
};

/** Counts what failed because of a bug: requests with 500, and parts of requests that are reported inside of a 200. */
export type FaultMetrics = { faulted(): void };

/** Registers the counter `<prefix>_faults_total`. It has no label, so it is 0 before the first fault. */
export const createFaultMetrics = (prefix: string, registers: Registry[]): FaultMetrics => {
  const faults = new Counter({
    name: `${prefix}_faults_total`,
    help: 'Requests, or parts of them, that failed because of a fault of this service',
    registers,
  });
  return { faulted: () => faults.inc() };
};

/** Registers the gauge `<prefix>_connections` and the counter `<prefix>_connections_dropped_total`. */
export const createConnectionMetrics = (prefix: string, registers: Registry[]): ConnectionMetrics => {
  const connections = new Gauge({
    name: `${prefix}_connections`,
    help: 'Connections that are open',
    registers,
  });
  const dropped = new Counter({
    name: `${prefix}_connections_dropped_total`,
    help: 'Connections that were closed because too many were open',
    registers,
  });
  return {
    connections: (count) => connections.set(count),
    dropped: () => dropped.inc(),
  };
};

/** Registers the counter `<prefix>_stalled_responses_total`. */
export const createStallMetrics = (prefix: string, registers: Registry[]): StallMetrics => {
  const stalled = new Counter({
    name: `${prefix}_stalled_responses_total`,
    help: 'Responses whose connection was closed because their reader was too slow',
    registers,
  });
  return { closedStalled: () => stalled.inc() };
};
