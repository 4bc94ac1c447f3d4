import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { openProgress, withProgress } from './progress.ts';
import { printable, shown } from './shown.ts';

const streamWith = (isTTY: boolean) => Object.assign(new PassThrough(), { isTTY, columns: 120, rows: 20 });

test('writes plain lines without a terminal, and nothing for a short run', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const stream = streamWith(false);
    const progress = await openProgress(
      { total: 200, initial: { value: 100, count: 10 }, unit: 'rows' },
      stream,
    );
    progress.advance(110, 20);
    vi.advanceTimersByTime(5000);
    progress.advance(150, 60);
    progress.advance(160, 70);
    progress.end();
    stream.end();
    // Only the rows of this run count for the rate.
    expect(await text(stream)).toBe('75.0 %, 60 rows, 10/s, 5 s left\n');
  } finally {
    vi.useRealTimers();
  }
});

test('draws a bar on a terminal', async () => {
  const stream = streamWith(true);
  const progress = await openProgress({ total: 4, unit: 'rows' }, stream);
  progress.advance(2);
  progress.end();
  stream.end();
  expect(await text(stream)).toMatch(/50 % {2}2 rows, \d+\/s/);
});

const SHOW_CURSOR = '\u001b[?25h';

test('a bar ends with the work also if the work fails, and gives the cursor back', async () => {
  const stream = streamWith(true);
  const failing = withProgress(
    { unit: 'rows' },
    (progress) => {
      progress.advance(2);
      return Promise.reject(new Error('failed'));
    },
    stream,
  );
  await expect(failing).rejects.toThrow('failed');
  stream.end();
  expect(await text(stream)).toContain(SHOW_CURSOR);
});

test('a signal gives the cursor back before it ends the process, unless the command handles it', async () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  const stream = streamWith(true);
  const progress = await openProgress({ unit: 'rows' }, stream);
  const handled = vi.fn();
  process.once('SIGTERM', handled);
  process.emit('SIGTERM', 'SIGTERM');
  expect(handled).toHaveBeenCalledTimes(1);
  expect(kill).not.toHaveBeenCalled();
  process.emit('SIGTERM', 'SIGTERM');
  expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, 'SIGTERM');
  kill.mockRestore();
  progress.end();
  stream.end();
  expect(await text(stream)).toContain(SHOW_CURSOR);
});

test('escapes characters that would move the cursor', () => {
  expect(shown('a\u001b[2Jb\n\u202e\u{e0001}ä')).toBe('a\\u001b[2Jb\\u000a\\u202e\\u{e0001}ä');
});

test('keeps line breaks and colours on a terminal, and every byte elsewhere', () => {
  const text = '\u001b[31mred\u001b[39m\nnext\u001b[2J\u001b]0;title\u0007\u009b1A\u202e\u{e0001}';
  expect(printable(text, { isTTY: true })).toBe(
    '\u001b[31mred\u001b[39m\nnext\\u001b[2J\\u001b]0;title\\u0007\\u009b1A\\u202e\\u{e0001}',
  );
  expect(printable(text, {})).toBe(text);
});
