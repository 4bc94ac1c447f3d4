import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { barOf, openProgress } from './progress.ts';

test('computes rate and remaining time from this run only', () => {
  expect(barOf({ share: 0.75, begunAt: 0.5, lines: 1000, seconds: 10 })).toBe(
    '██████████████████░░░░░░ 75.0 %  1000 lines, 100/s, 10 s left',
  );
  expect(barOf({ share: 0.001, begunAt: 0, lines: 10, seconds: 10 })).toContain('2 h 46 min left');
});

test('prints plain lines without a terminal, and nothing for a short run', () => {
  const stream = new PassThrough();
  const progress = openProgress(stream as unknown as NodeJS.WriteStream);
  progress.show('at once');
  progress.end();
  expect(stream.read()).toBeNull();
});
