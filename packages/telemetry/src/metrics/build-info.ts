import { BUILD } from '@chairside/startup';
import { Gauge, type Registry } from 'prom-client';

/** Adds `chairside_build_info`, whose labels are the version, the commit and the time of the build of the process. */
export const addBuildInfo = (registers: Registry[]): void => {
  const info = new Gauge({
    name: 'chairside_build_info',
    help: 'Always 1; the labels are the version, the commit and the time of the build of the process',
    labelNames: ['version', 'commit', 'built'],
    registers,
  });
  info.set({ version: BUILD.version, commit: BUILD.commit, built: BUILD.builtTime }, 1);
};
