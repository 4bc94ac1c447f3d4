import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, killAtExit } from '@chairside/processes';
import { spawnOptions } from '@chairside/test-support/app';

/** A server that is a process of its own. */
export type App = { url: string; pid: number; process: ChildProcess; stop(): Promise<void> };

/**
 * Starts Node on a server that answers on the port that it finds in this variable. What it logs goes to a file, as in
 * production to a pipe that others read.
 */
export const startServer = async (
  args: readonly string[],
  portName: string,
  environment: Record<string, string>,
): Promise<App> => {
  const port = await freePort();
  const path = join(tmpdir(), `chairside-bench-${process.pid}-${port}.log`);
  const log = openSync(path, 'w');
  const child = killAtExit(
    spawn(process.execPath, args, {
      ...spawnOptions({ ...environment, [portName]: String(port) }),
      stdio: ['ignore', log, log],
    }),
  );
  closeSync(log);
  const url = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${url}/health/ready`).then(
      ({ status }) => status < 500,
      () => false,
    );
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`${args.at(-1)} ended with ${child.exitCode}: see ${path}`);
    await sleep(50);
  }
  return {
    url,
    pid: child.pid as number,
    process: child,
    async stop() {
      // Ctrl-C reaches every process of the terminal: it may have ended already.
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGCONT');
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      // The log of a process that failed stays.
      if (!child.exitCode) rmSync(path, { force: true });
    },
  };
};

/** Where each app takes its port from; that of its metrics is any. */
const PORTS = { api: 'PORT', 'webhook-dispatcher': 'HEALTH_PORT' } as const;

/**
 * Starts an app as it is deployed: built.
 *
 * @param flags for Node itself, such as `--cpu-prof`
 */
export const startApp = (
  name: keyof typeof PORTS,
  environment: Record<string, string>,
  flags: readonly string[] = [],
): Promise<App> =>
  startServer([...flags, `apps/${name}/dist/main.js`], PORTS[name], {
    METRICS_PORT: '0',
    // As in the image.
    NODE_OPTIONS: '--max-semi-space-size=8',
    ...environment,
  });

/** What `BENCH_PROFILE` asks for: a CPU profile of each app, in that folder. */
export const profiling = (): string[] =>
  process.env.BENCH_PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_PROFILE}`] : [];
