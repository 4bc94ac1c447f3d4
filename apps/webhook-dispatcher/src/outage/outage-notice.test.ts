import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createOutageNotice } from './outage-notice.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** An `OutageNotice` with a fake store that records its calls. Each call takes `milliseconds`. */
const start = (milliseconds = 0) => {
  const calls: string[] = [];
  const errors: unknown[] = [];
  let fails = false;
  const call = (name: string) => async (worker: string) => {
    calls.push(`${name} ${worker}`);
    if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds));
    if (fails) throw new Error('no');
  };
  const outages = { declare: call('declare'), withdraw: call('withdraw') };
  const notice = createOutageNotice({ outages, worker: 'w', onError: (error) => errors.push(error) });
  return {
    notice,
    calls,
    errors,
    fail(value: boolean) {
      fails = value;
    },
  };
};

test('declares an outage, renews it every ten seconds, and withdraws it', async () => {
  const { notice, calls } = start();
  notice.change(true);
  await vi.advanceTimersByTimeAsync(25_000);
  expect(calls).toEqual(['declare w', 'declare w', 'declare w']);
  notice.change(false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(calls.slice(3)).toEqual(['withdraw w']);
  await notice.stop();
  expect(calls).toHaveLength(4);
});

test('stores the last state if it changes while another is being stored', async () => {
  const { notice, calls } = start(500);
  notice.change(true);
  notice.change(false);
  notice.change(true);
  notice.change(false);
  await vi.advanceTimersByTimeAsync(5000);
  expect(calls).toEqual(['declare w', 'withdraw w']);
});

test('a slow database gets one statement at a time, and a failure is retried with the next renewal', async () => {
  const { notice, calls, errors, fail } = start(15_000);
  fail(true);
  notice.change(true);
  await vi.advanceTimersByTimeAsync(19_000);
  expect(calls).toHaveLength(1);
  expect(errors).toHaveLength(1);
  fail(false);
  await vi.advanceTimersByTimeAsync(2000);
  expect(calls).toHaveLength(2);
  const stopped = notice.stop();
  await vi.advanceTimersByTimeAsync(40_000);
  await stopped;
  expect(calls.at(-1)).toBe('withdraw w');
  expect(errors).toHaveLength(1);
});
