import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, killAtExit, SERVICE_ENVIRONMENT, SERVICE_FLAGS } from '@chairside/processes';
import { spawnOptions } from '@chairside/test-support/app';

/** A server that runs as its own process. */
export type App = { url: string; pid: number; process: ChildProcess; stop(): Promise<void> };

/**
 * Starts a server with Node. `portName` is the variable that sets its port. If the environment does not set this
 * variable, a free port is chosen. The log is written to a file.
 */
export const startServer = async (
  args: readonly string[],
  portName: string,
  environment: Record<string, string>,
): Promise<App> => {
  const port = environment[portName] ?? (await freePort());
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
      // Ctrl-C reaches every process of the terminal, so the process may have ended already.
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGCONT');
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      // The log of a failed process is kept.
      if (!child.exitCode) rmSync(path, { force: true });
    },
  };
};

/** The variable that sets the port of each app. By default, the system chooses the port of its metrics. */
const PORTS = {
  api: 'PORT',
  'webhook-dispatcher': 'HEALTH_PORT',
  dashboard: 'PORT',
  mcp: 'PORT',
} as const;
/** The folders below `apps` whose names differ from the names of their apps. */
const FOLDERS: Partial<Record<keyof typeof PORTS, string>> = { dashboard: 'dashboard/server' };

/**
 * Starts the built app, as in a deployment.
 *
 * @param flags for Node itself, such as `--cpu-prof`
 */
export const startApp = (
  name: keyof typeof PORTS,
  environment: Record<string, string>,
  flags: readonly string[] = [],
): Promise<App> =>
  startServer([...SERVICE_FLAGS, ...flags, `apps/${FOLDERS[name] ?? name}/dist/main.js`], PORTS[name], {
    METRICS_PORT: '0',
    ...SERVICE_ENVIRONMENT,
    ...environment,
  });

/** The flags for a CPU profile of an app, in the folder that `BENCH_PROFILE` names; none if it is not set. */
export const profiling = (): string[] =>
  process.env.BENCH_PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_PROFILE}`] : [];
