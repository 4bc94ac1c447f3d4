import { expect, test } from 'vitest';
import { startExamination } from './examination.ts';

const busyFor = (ms: number) => () => {
  const end = performance.now() + ms;
  while (performance.now() < end);
  return ms;
};

test('other work runs after ten milliseconds, and the examination ends after its time', async () => {
  const examination = startExamination({ maxMs: 25 });
  expect(examination.examine(() => 'result')).toBe('result');
  expect(examination.examine(busyFor(10))).toBe(10);
  expect(examination.slice.isOver()).toBe(true);
  let hasRun = false;
  setImmediate(() => {
    hasRun = true;
  });
  await examination.slice.pause();
  expect(hasRun).toBe(true);
  expect(examination.slice.isOver()).toBe(false);
  examination.examine(busyFor(15));
  expect(examination.hasEnded()).toBe(true);
});

test('a record that cannot be read counts, too', () => {
  const examination = startExamination({ maxMs: 1 });
  const failing = () => {
    busyFor(1)();
    throw new Error('unreadable');
  };
  expect(() => examination.examine(failing)).toThrow('unreadable');
  expect(examination.hasEnded()).toBe(true);
});

test('the examination ends when the caller has gone', () => {
  const caller = new AbortController();
  const examination = startExamination({ signal: caller.signal });
  expect(examination.hasEnded()).toBe(false);
  caller.abort();
  expect(examination.hasEnded()).toBe(true);
});
