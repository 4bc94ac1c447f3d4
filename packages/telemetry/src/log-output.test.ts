import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLogOutput } from './log-output.ts';

/** The size that the log file may reach, in blocks of 1,024 bytes. */
const BLOCKS = 64;

/** Starts a process that writes into a log file of limited size, as if its disk were full beyond that. */
const startLogging = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'log-output-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const log = join(folder, 'log');
  const script = new URL('../test/logging-process.ts', import.meta.url).pathname;
  const child = spawn(
    'bash',
    ['-c', `ulimit -f ${BLOCKS}; exec "$0" "$1" >> "$2"`, process.execPath, script, log],
    { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
  );
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    child.disconnect();
    await once(child, 'exit');
  });
  await once(child, 'message');
  let text = '';
  return {
    async write(lines: number): Promise<void> {
      child.send(lines);
      await once(child, 'message');
    },
    /** Makes room for new lines. */
    empty(): void {
      text += readFileSync(log, 'utf8');
      truncateSync(log);
    },
    /** All lines that were written, in order. */
    lines: () => `${text}${readFileSync(log, 'utf8')}`.split('\n').slice(0, -1),
  };
};

const numbered = (lines: readonly string[]) =>
  lines.filter((line) => line.startsWith('line')).map((line) => Number(line.split(' ')[1]));
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

test('lines wait while the disk is full, and are written when it has room again', async () => {
  const log = await startLogging();
  await log.write(300);
  expect(log.lines().length).toBeLessThan(BLOCKS + 1);
  while (numbered(log.lines()).length < 300) {
    log.empty();
    await log.write(1);
  }
  expect(numbered(log.lines()).slice(0, 300)).toEqual(upTo(300));
  expect(log.lines().filter((line) => line.startsWith('lost'))).toEqual([]);
});

test('lines that find no room to wait are lost, and their number is told', async () => {
  const log = await startLogging();
  await log.write(1500);
  let written = 1500;
  const lost = () =>
    log
      .lines()
      .filter((line) => line.startsWith('lost'))
      .reduce((sum, line) => sum + Number(line.split(' ')[1]), 0);
  for (; numbered(log.lines()).length + lost() < 1500; written++) {
    log.empty();
    await log.write(1);
  }
  log.empty();
  await log.write(1);
  expect(lost()).toBeGreaterThan(300);
  expect(numbered(log.lines()).length + lost()).toBe(written + 1);
  const numbers = numbered(log.lines());
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
});

test('a device that never has room is no error', () => {
  const device = openSync('/dev/full', 'a');
  onTestFinished(() => closeSync(device));
  const output = openLogOutput(device);
  for (let index = 0; index < 2000; index++) output.write(`${'.'.repeat(1000)}\n`);
});
