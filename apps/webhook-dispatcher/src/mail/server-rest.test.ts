import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createServerRest } from './server-rest.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const open = () => {
  const changes: boolean[] = [];
  return { changes, rest: createServerRest((isUsable) => void changes.push(isUsable)) };
};

test('pauses double while the mail server cannot be used, up to a minute', () => {
  const { rest, changes } = open();
  const pauses: number[] = [];
  for (let failures = 0; failures < 8; failures++) {
    rest.note(false);
    let pause = 0;
    for (; rest.isResting(); pause += 500) vi.advanceTimersByTime(500);
    pauses.push(pause);
  }
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  expect(changes).toEqual([false]);
});

test('attempts that failed together count once', () => {
  const { rest } = open();
  for (let attempts = 0; attempts < 4; attempts++) rest.note(false);
  vi.advanceTimersByTime(1000);
  expect(rest.isResting()).toBe(false);
});

test('an attempt that reached the mail server ends the pauses', () => {
  const { rest, changes } = open();
  rest.note(false);
  rest.note(true);
  expect(rest.isResting()).toBe(false);
  rest.note(true);
  expect(changes).toEqual([false, true]);
  rest.note(false);
  vi.advanceTimersByTime(1000);
  expect(rest.isResting()).toBe(false);
});
