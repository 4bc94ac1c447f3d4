import { expect, test, vi } from 'vitest';
import { startRounds } from './rounds.ts';

test('a round begins after a pause since the end of the one before, also after an error', async () => {
  vi.useFakeTimers();
  try {
    const ends: (() => void)[] = [];
    const errors: unknown[] = [];
    const rounds = startRounds(
      () =>
        new Promise((_, reject) => {
          ends.push(() => reject(new Error('failed')));
        }),
      1000,
      (error) => errors.push(error),
    );
    await vi.advanceTimersByTimeAsync(5000);
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await vi.advanceTimersByTimeAsync(999);
    expect([ends.length, errors.length]).toEqual([1, 1]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await rounds.stop();
    await vi.advanceTimersByTimeAsync(5000);
    expect(ends).toHaveLength(2);
  } finally {
    vi.useRealTimers();
  }
});

test('a stop is told to the present round, and waits for its end', async () => {
  let end = () => {};
  let isAborted = () => false;
  const rounds = startRounds(
    (signal) => {
      isAborted = () => signal.aborted;
      return new Promise((resolve) => {
        end = resolve;
      });
    },
    0,
    () => {},
  );
  let isStopped = false;
  const stopped = rounds.stop().then(() => {
    isStopped = true;
  });
  expect([isAborted(), isStopped]).toEqual([true, false]);
  end();
  await stopped;
  expect(isStopped).toBe(true);
});
