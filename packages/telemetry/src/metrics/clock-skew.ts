import { clock } from '@chairside/domain';
import { Gauge, type Registry } from 'prom-client';

/** Adds `chairside_clock_skew_seconds`. It is absent until the database's clock was read. */
export const addClockSkew = (registers: Registry[]): void => {
  new Gauge({
    name: 'chairside_clock_skew_seconds',
    help: "The clock of the machine minus the database's clock",
    registers,
    collect() {
      const skew = clock.skewMs();
      if (skew !== undefined) this.set(skew / 1000);
    },
  });
};
