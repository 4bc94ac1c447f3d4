import { join } from 'node:path';
import { isRunning, type ServerProcess, StartFailure, startServer, stopServer } from '@chairside/processes';
import { DemoProblem } from './problem.ts';

/** How long a service may take to end after SIGTERM. */
const STOP_WITHIN_MS = 3500;
/** How often to check that a service is running. */
const LOOK_INTERVAL_MS = 500;
/** The timeout of a readiness request. */
const LOOK_TIMEOUT_MS = 5000;

export type ServiceOptions = {
  name: string;
  /** Arguments of Node.js: options, then the entry file. */
  nodeArguments: string[];
  environment: Readonly<Record<string, string>>;
  /** The URL that returns 200 when the service is ready. */
  readyUrl: string;
  /** The folder of its log, `<name>.log`. */
  folder: string;
  /** Called as soon as the process runs, so that it can be stopped even if this process crashes. */
  onSpawned: (server: ServerProcess) => Promise<void>;
  signal: AbortSignal;
};

/** A service in a process and session of its own, so that Ctrl-C in this terminal does not reach it. */
export type Service = {
  pid: number;
  stop(): Promise<void>;
  /** Rejects with a DemoProblem if the process ends without `stop`. */
  failed: Promise<never>;
};

const isReady = async (url: string, signal: AbortSignal): Promise<boolean> => {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(LOOK_TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
};

/** @throws {DemoProblem} with the last lines of the log, if the service exits or does not become ready */
export const startService = async (options: ServiceOptions): Promise<Service> => {
  const { name, nodeArguments, environment, readyUrl, folder, onSpawned, signal } = options;
  const logFile = join(folder, `${name}.log`);
  const plan = {
    name,
    command: process.execPath,
    arguments: nodeArguments,
    environment: { PATH: process.env.PATH ?? '', ...environment },
    isReady: () => isReady(readyUrl, signal),
    stop: [{ signal: 'SIGTERM' as const, withinMs: STOP_WITHIN_MS }],
  };
  try {
    const server = await startServer(plan, folder, signal, onSpawned);
    let isStopped = false;
    const failed = new Promise<never>((_resolve, reject) => {
      const timer = setInterval(() => {
        if (isRunning(server.pid)) return;
        clearInterval(timer);
        if (!isStopped) reject(new DemoProblem(`${name} exited unexpectedly. Log: ${logFile}`));
      }, LOOK_INTERVAL_MS).unref();
    });
    failed.catch(() => {});
    return {
      pid: server.pid,
      failed,
      stop() {
        isStopped = true;
        return stopServer(server);
      },
    };
  } catch (error) {
    if (error instanceof StartFailure) throw new DemoProblem(`${error.message}\nFull log: ${logFile}`);
    throw error;
  }
};
