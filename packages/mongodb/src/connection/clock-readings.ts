import { CLOCK_TOLERANCE_MS, clock } from '@chairside/domain';
import type { Database } from '../driver/database.ts';
import { databaseTime } from '../driver/statements.ts';

/** How often the database's clock is read, in milliseconds. In this time, it hardly drifts from a monotonic clock. */
const INTERVAL_MS = 10_000;

/**
 * Called when the clock of this machine begins to differ from the database's clock by more than 2 s.
 *
 * @param skewMs the clock of this machine minus the database's clock, in milliseconds
 */
export type SkewListener = (skewMs: number) => void;

/** Keeps the clock of this process at that of the database. */
export type ClockReadings = {
  /**
   * Reads the database's clock, and from then on every 10 s. A failed reading is repeated after 10 s.
   *
   * @throws the error of the first reading
   */
  begin(): Promise<void>;
  end(): void;
};

export const createClockReadings = (database: Database, onSkew: SkewListener): ClockReadings => {
  let timer: NodeJS.Timeout | undefined;
  let isSkewed = false;
  const read = async (): Promise<void> => {
    await databaseTime(database);
    const skew = clock.skewMs() ?? 0;
    const wasSkewed = isSkewed;
    isSkewed = Math.abs(skew) > CLOCK_TOLERANCE_MS;
    if (isSkewed && !wasSkewed) onSkew(skew);
  };
  return {
    async begin() {
      timer ??= setInterval(() => void read().catch(() => {}), INTERVAL_MS).unref();
      await read();
    },
    end() {
      clearInterval(timer);
    },
  };
};
