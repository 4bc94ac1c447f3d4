import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { freePort, killAtExit } from '@chairside/processes';
import { nodeArgumentsOf, spawnOptions } from '@chairside/test-support/app';
import { expect, onTestFinished, test } from 'vitest';

/** `/dev/full` behaves like a file on a full disk. Neither service finds its database here. */
test.each([
  ['api', 'PORT'],
  ['webhook-dispatcher', 'HEALTH_PORT'],
])('%s works and ends normally if its log cannot be written', async (app, portName) => {
  const full = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(full));
  const port = String(await freePort());
  const child = killAtExit(
    spawn(process.execPath, nodeArgumentsOf(app), {
      ...spawnOptions({
        MONGODB_URL: 'mongodb://127.0.0.1:1/none',
        REDIS_URL: 'redis://127.0.0.1:1',
        ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
        [portName]: port,
        METRICS_PORT: '0',
      }),
      stdio: ['ignore', full, full],
    }),
  );
  const isLive = () =>
    fetch(`http://127.0.0.1:${port}/health/live`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(async () => child.exitCode !== null || (await isLive())).toBe(true);
  expect(child.exitCode).toBeNull();
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
});
