import { beforeEach, describe, expect, it } from 'vitest';
import { CLOCK_TOLERANCE_MS, type Clock, createClock } from './clock.ts';

/** The database's time at the start. */
const START = Date.UTC(2027, 0, 1);
let elapsed: number;
let wall: number;
let clock: Clock;
const source = { monotonic: () => elapsed, wall: () => wall };
const pass = (milliseconds: number) => {
  elapsed += milliseconds;
  wall += milliseconds;
};
/** Reads a database whose clock differs from the true time by `error`. Request and response take these times. */
const read = ({ error = 0, request = 3, response = 3 } = {}) => {
  const askedAt = elapsed;
  pass(request);
  const time = new Date(START + elapsed + error);
  pass(response);
  clock.correct({ time, askedAt, answeredAt: elapsed });
};
const errorNow = () => clock.now().getTime() - START - elapsed;

beforeEach(() => {
  elapsed = 0;
  wall = START + 300_000;
  clock = createClock(source);
});

describe('clock', () => {
  it('is that of the machine until the first reading, and then that of the database', () => {
    expect(errorNow()).toBe(300_000);
    expect(clock.skewMs()).toBeUndefined();
    read();
    expect(Math.abs(errorNow())).toBeLessThan(4);
    expect(clock.skewMs()).toBeCloseTo(300_000, -1);
  });

  it('does not follow the clock of the machine', () => {
    read();
    wall -= 3_600_000;
    pass(1000);
    expect(Math.abs(errorNow())).toBeLessThan(4);
    expect(clock.skewMs()).toBeCloseTo(-3_300_000, -1);
  });

  it('is as exact as the fastest reading, whatever slow ones say', () => {
    read({ request: 1, response: 1 });
    read({ request: 5000, response: 0 });
    read({ request: 0, response: 5000 });
    expect(Math.abs(errorNow())).toBeLessThan(2);
  });

  it('follows a database whose clock drifts, or is set, to within the time of a response', () => {
    for (const error of [0, 1, 500, 1500, 60_000, -60_000, 20]) {
      read({ error });
      pass(3000);
      expect(Math.abs(errorNow() - error)).toBeLessThan(7);
    }
  });

  it('does not go back after a small correction, and goes back after a large one', () => {
    read({ error: 0 });
    const before = clock.now().getTime();
    read({ error: -CLOCK_TOLERANCE_MS / 2 });
    expect(clock.now().getTime()).toBe(before);
    pass(CLOCK_TOLERANCE_MS);
    expect(clock.now().getTime()).toBeGreaterThan(before);
    read({ error: -60_000 });
    expect(Math.abs(errorNow() + 60_000)).toBeLessThan(7);
  });
});
