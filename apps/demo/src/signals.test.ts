import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';

/** Runs code in a process with a channel to this one, as `npm start` runs the demo. */
const run = (code: string) => {
  const signals = JSON.stringify(new URL('./signals.ts', import.meta.url).href);
  const source = `import { onStop } from ${signals}; ${code}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, exited: once(child, 'exit') };
};

test('a process that has nothing left to do ends, although it has a channel to its command', async () => {
  const { exited } = run('onStop(() => {});');
  expect(await exited).toEqual([0, null]);
});

test('a process stops when the process that runs the command has gone', async () => {
  const { child, exited } = run(
    'const hold = setInterval(() => {}, 1000); onStop(() => clearInterval(hold)); process.send("ready");',
  );
  await once(child, 'message');
  child.disconnect();
  expect(await exited).toEqual([0, null]);
});
