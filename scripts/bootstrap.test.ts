import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/**
 * A replacement for the demo and for vitest. It prints that it runs, and exits cleanly on a signal or when its parent
 * was killed.
 */
const DEMO = `
const hold = setInterval(() => {}, 1000);
const stop = (reason) => {
  console.log('stopped by', reason);
  clearInterval(hold);
};
process.once('SIGTERM', stop);
process.once('SIGHUP', stop);
process.once('SIGINT', stop);
process.once('disconnect', () => stop('disconnect'));
process.channel?.unref();
console.log('running', process.pid, process.ppid);
`;

/** A clone in which everything is installed and built. The npm of its steps does nothing. */
const plantClone = async (): Promise<string> => {
  const root = await mkdtemp(join(tmpdir(), 'chairside-clone-'));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const folder of ['scripts', 'node_modules/.bin', 'node_modules/vitest', 'apps/demo/dist']) {
    await mkdir(join(root, folder), { recursive: true });
  }
  await copyFile(join(import.meta.dirname, 'bootstrap.mjs'), join(root, 'scripts/bootstrap.mjs'));
  const { packageManager, scripts } = JSON.parse(
    await readFile(join(import.meta.dirname, '../package.json'), 'utf8'),
  );
  await writeFile(
    join(root, 'package.json'),
    JSON.stringify({ packageManager, type: 'module', scripts: { start: scripts.start, test: scripts.test } }),
  );
  await writeFile(join(root, 'apps/demo/dist/main.js'), DEMO);
  await writeFile(join(root, 'node_modules/vitest/vitest.mjs'), DEMO);
  await symlink(process.execPath, join(root, 'node_modules/.bin/node'));
  await writeFile(join(root, 'node_modules/.bin/npm'), '#!/bin/sh\n');
  await chmod(join(root, 'node_modules/.bin/npm'), 0o755);
  return root;
};

/** Runs a script in a session of its own, as after `setsid` or `&` in a terminal that has gone away. */
const runScript = (
  root: string,
  script: string,
): ChildProcess & { stdout: NonNullable<ChildProcess['stdout']> } => {
  const npm = spawn('npm', [script], { cwd: root, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => {
    // Ends what a failed test has left running.
    try {
      if (npm.pid !== undefined) process.kill(-npm.pid, 'SIGKILL');
    } catch {
      // All processes have already ended.
    }
  });
  return npm as ChildProcess & { stdout: NonNullable<ChildProcess['stdout']> };
};

test.each<[NodeJS.Signals, 'npm' | 'command', script: string]>([
  ['SIGTERM', 'npm', 'start'],
  ['SIGHUP', 'npm', 'start'],
  ['SIGINT', 'npm', 'start'],
  ['SIGKILL', 'npm', 'start'],
  ['SIGTERM', 'command', 'start'],
  ['SIGHUP', 'command', 'start'],
  ['SIGINT', 'command', 'start'],
  ['SIGKILL', 'command', 'start'],
  ['SIGTERM', 'npm', 'test'],
  ['SIGHUP', 'npm', 'test'],
  ['SIGKILL', 'npm', 'test'],
  ['SIGTERM', 'command', 'test'],
])('%s to %s of npm run %s ends everything', async (signal, target, script) => {
  const npm = runScript(await plantClone(), script);
  let output = '';
  const running = new Promise<{ command: number }>((resolve) => {
    npm.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      const [, command] = /running \d+ (\d+)/.exec(output) ?? [];
      if (command !== undefined) resolve({ command: Number(command) });
    });
  });
  // All processes below npm have its standard output, so this stream ends when the last of them has ended.
  const ended = once(npm.stdout, 'end');
  const { command } = await running;
  process.kill(target === 'npm' ? (npm.pid ?? 0) : command, signal);
  await ended;
  expect(output).toContain('stopped by');
});
