/** A reading of the database's clock, and the values of `performance.now()` before the request and after the response. */
export type ClockReading = { time: Date; askedAt: number; answeredAt: number };

/**
 * The clock of a process. It follows the clock of the database, so that a time that one process stores can be compared
 * with a time of another, however wrong the clocks of their machines are. It does not follow changes of the machine's
 * clock.
 */
export type Clock = {
  /** The time now. It does not go back, unless the database's clock has gone back by more than 2 s. */
  now(): Date;
  /**
   * Corrects the clock by the least amount that makes it agree with the reading: at the time of the reading, the
   * database's clock was read between the request and the response.
   */
  correct(reading: ClockReading): void;
  /**
   * The clock of this machine minus the database's clock, in milliseconds. Undefined before the first reading: until
   * then, the clock of this machine is used.
   */
  skewMs(): number | undefined;
};

/**
 * How far two corrected clocks may differ, in milliseconds. A comparison of the times of two processes tolerates that
 * much on the side that loses nothing.
 */
export const CLOCK_TOLERANCE_MS = 2000;

/** @param source the clocks of the machine, in milliseconds: the monotonic one, and the time since 1970 */
export const createClock = (
  source = { monotonic: () => performance.now(), wall: () => Date.now() },
): Clock => {
  /** The time since 1970 minus the monotonic clock. */
  let origin = source.wall() - source.monotonic();
  let isCorrected = false;
  let latest = Number.NEGATIVE_INFINITY;

  return {
    now() {
      const time = origin + source.monotonic();
      if (time > latest || latest - time > CLOCK_TOLERANCE_MS) latest = time;
      return new Date(latest);
    },

    correct({ time, askedAt, answeredAt }) {
      // The database cuts its time to whole milliseconds.
      const [least, most] = [time.getTime() - answeredAt, time.getTime() + 1 - askedAt];
      if (!isCorrected) {
        origin = (least + most) / 2;
        latest = Number.NEGATIVE_INFINITY;
        isCorrected = true;
      } else origin = Math.min(Math.max(origin, least), most);
    },

    skewMs: () => (isCorrected ? source.wall() - source.monotonic() - origin : undefined),
  };
};

/** The clock of this process. Every time that is stored, sent, or compared with such a time comes from it. */
export const clock = createClock();

const skewSeconds = (): number => Math.round((clock.skewMs() ?? 0) / 1000);

/**
 * Converts a time of the clock into one of this machine, for a library that compares it with the clock of the machine.
 *
 * @param seconds seconds since 1970
 */
export const toMachineTime = (seconds: number): number => seconds + skewSeconds();

/** The inverse of {@link toMachineTime}, for a time that a library has read from the clock of the machine. */
export const fromMachineTime = (seconds: number): number => seconds - skewSeconds();
