import { Histogram, type Registry } from 'prom-client';
import type { DatabaseTimes } from '../database-times.ts';

/** Upper bounds of the buckets, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Adds the histograms of the times of the database. */
export const createDatabaseMetrics = (registers: Registry[]): DatabaseTimes => {
  const commands = new Histogram({
    name: 'chairside_database_command_seconds',
    help: 'Time from sending a command to MongoDB to its response, by command',
    labelNames: ['command'],
    buckets: BUCKETS,
    registers,
  });
  const waits = new Histogram({
    name: 'chairside_database_connection_wait_seconds',
    help: 'Time that an operation waits for a connection to MongoDB',
    buckets: BUCKETS,
    registers,
  });
  return {
    commandEnded: (command, durationMs) => commands.observe({ command }, durationMs / 1000),
    connectionTaken: (waitMs) => waits.observe(waitMs / 1000),
  };
};
