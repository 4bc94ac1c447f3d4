import { join } from 'node:path';
import { isRunning, type ServerProcess, StartFailure, startServer, stopServer } from '@chairside/processes';
import { DemoProblem } from './problem.ts';

/** How long a service may take to end after SIGTERM, in milliseconds. */
const STOP_WITHIN = 3500;
/** How often a service is looked at while it runs, in milliseconds. */
const LOOK_INTERVAL = 500;
/** How long a service may take to say whether it is ready, in milliseconds. */
const LOOK_TIMEOUT = 5000;

export type ServiceOptions = {
  name: string;
  /** Arguments of Node: the entry, with conditions before it. */
  nodeArguments: string[];
  environment: Readonly<Record<string, string>>;
  /** Answers 200 when the service can be used. */
  readyUrl: string;
  /** Where its log goes, as `<name>.log`. */
  folder: string;
  /** Told of the process at once, so that it can be stopped even if this one dies. */
  onSpawned: (server: ServerProcess) => Promise<void>;
  signal: AbortSignal;
};

/** A service that runs as a process of its own, in a session of its own: Ctrl-C here does not reach it. */
export type Service = {
  pid: number;
  stop(): Promise<void>;
  /** Rejects with a DemoProblem when the process ends without having been stopped. */
  failed: Promise<never>;
};

const isReady = async (url: string, signal: AbortSignal): Promise<boolean> => {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(LOOK_TIMEOUT)]),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
};

/** @throws {DemoProblem} with the last lines of the log, when it ends or does not get ready */
export const startService = async (options: ServiceOptions): Promise<Service> => {
  const { name, nodeArguments, environment, readyUrl, folder, onSpawned, signal } = options;
  const logFile = join(folder, `${name}.log`);
  const plan = {
    name,
    command: process.execPath,
    arguments: nodeArguments,
    environment: { PATH: process.env.PATH ?? '', ...environment },
    isReady: () => isReady(readyUrl, signal),
    stop: [{ signal: 'SIGTERM' as const, withinMs: STOP_WITHIN }],
  };
  try {
    const server = await startServer(plan, folder, signal, onSpawned);
    let isStopped = false;
    const failed = new Promise<never>((_resolve, reject) => {
      const timer = setInterval(() => {
        if (isRunning(server.pid)) return;
        clearInterval(timer);
        if (!isStopped) reject(new DemoProblem(`${name} has ended by itself. Its log: ${logFile}`));
      }, LOOK_INTERVAL).unref();
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
    if (error instanceof StartFailure) throw new DemoProblem(`${error.message}\nIts whole log: ${logFile}`);
    throw error;
  }
};
