import { clock } from '@chairside/domain';
import { BUILD } from '@chairside/startup';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/**
 * How often a process looks at the delay of its event loop, in milliseconds. Each look wakes an idle process. This time
 * is a part of `nodejs_eventloop_lag_*`, which is 0.05 s at rest.
 */
const LOOK_MS = 50;

/**
 * Returns a registry with what every process of the service exposes: `process_*`, `nodejs_*`, its build, and how its
 * clock differs from the database's.
 */
export const createRegistry = (): Registry => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOK_MS });
  new Gauge({
    name: 'chairside_build_info',
    help: 'Always 1; the labels are the version, the commit and the time of the build of the process',
    labelNames: ['version', 'commit', 'built'],
    registers: [registry],
  }).set({ version: BUILD.version, commit: BUILD.commit, built: BUILD.builtTime }, 1);
  new Gauge({
    name: 'chairside_clock_skew_seconds',
    help: "The clock of the machine minus the database's clock",
    registers: [registry],
    // Absent until the database's clock was read.
    collect() {
      const skew = clock.skewMs();
      if (skew !== undefined) this.set(skew / 1000);
    },
  });
  return registry;
};
