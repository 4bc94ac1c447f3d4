import { VERSION } from '@chairside/startup';
import { Gauge, type Registry } from 'prom-client';

/** Adds `chairside_build_info`, whose label is the version of the process. */
export const addBuildInfo = (registers: Registry[]): void => {
  const info = new Gauge({
    name: 'chairside_build_info',
    help: 'Always 1; the label is the version of the process',
    labelNames: ['version'],
    registers,
  });
  info.set({ version: VERSION }, 1);
};
