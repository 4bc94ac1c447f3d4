import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { killAtExit } from '@chairside/processes';
import { nodeArgumentsOf, spawnOptions } from './app.ts';
import { LONGEST_WAIT_MS } from './longest-wait.ts';

export type LogLine = Record<string, any>;

/** An app that runs as a process, from source. */
export type ServiceProcess = {
  pid: number;
  /** The lines that the process has logged so far. */
  lines: LogLine[];
  /**
   * Resolves with the first matching line, whether it was already logged or is logged later. Rejects if the process
   * ends without one.
   */
  logged(matches: (line: LogLine) => boolean): Promise<LogLine>;
  /** Sends the signal, and resolves with the exit code when the process has ended. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
  /** Resolves with the exit code when the process has ended for any reason and its last log line has been read. */
  exited: Promise<number | null>;
  send(signal: NodeJS.Signals): void;
};

export const startProcess = (app: string, environment: Record<string, string>): ServiceProcess =>
  startProgram(nodeArgumentsOf(app), environment);

/** Starts a program that logs lines, as an app does. @param args the arguments of Node.js */
export const startProgram = (
  args: readonly string[],
  environment: Record<string, string>,
): ServiceProcess => {
  const child = killAtExit(
    spawn(process.execPath, args, {
      ...spawnOptions(environment),
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  // The event is `close` and not `exit`, because at `exit` the last log lines have not been read yet.
  const exited = once(child, 'close').then(([code]) => code as number | null);
  const lines: LogLine[] = [];
  const waiting = new Set<{ matches: (line: LogLine) => boolean; resolve: (line: LogLine) => void }>();
  const take = (text: string) => {
    const line: LogLine = text.startsWith('{') ? JSON.parse(text) : { msg: text };
    lines.push(line);
    for (const waiter of waiting) {
      if (!waiter.matches(line)) continue;
      waiting.delete(waiter);
      waiter.resolve(line);
    }
  };
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', take);

  return {
    pid: child.pid as number,
    lines,
    async logged(matches) {
      const found = lines.find(matches);
      if (found !== undefined) return found;
      const line = new Promise<LogLine>((resolve) => waiting.add({ matches, resolve }));
      const died = exited.then((code) => {
        throw new Error(
          `${args.at(-1)} ended with ${code}:\n${lines.map((each) => JSON.stringify(each)).join('\n')}`,
        );
      });
      died.catch(() => {});
      return Promise.race([line, died]);
    },
    async end(signal) {
      child.kill(signal);
      return exited;
    },
    exited,
    send: (signal) => void child.kill(signal),
  };
};

export const startApi = (environment: Record<string, string>): ServiceProcess =>
  startProcess('api', { PORT: '0', METRICS_PORT: '0', ...environment });

/** Resolves with the address on which the api listens, when it is ready. */
export const apiAddress = async (api: ServiceProcess): Promise<string> => {
  const { msg } = await api.logged(({ msg: text }) => /listening at/.test(text));
  await api.logged(({ msg: text }) => text === 'ready');
  return msg.slice(msg.indexOf('http://'));
};

export const startDispatcher = (environment: Record<string, string>): ServiceProcess =>
  startProcess('webhook-dispatcher', { ...environment, HEALTH_PORT: '0' });

export const untilDispatching = async (dispatcher: ServiceProcess): Promise<void> => {
  await dispatcher.logged(({ msg }) => msg === 'dispatching');
};

/** Resolves with the address of the metrics of a process, when it exposes them. */
export const metricsUrl = async ({ logged }: ServiceProcess): Promise<string> => {
  const { address } = await logged(({ msg }) => msg === 'exposing metrics' || msg === 'dispatching');
  return `http://127.0.0.1:${address.port}/metrics`;
};

export type ApiResponse = { status: number; requestId: string; json: any };

/** Sends a request to the api. Rejects when there is no response. */
export const callApi = async (
  address: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<ApiResponse> => {
  const response = await fetch(address + path, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(LONGEST_WAIT_MS),
  });
  const requestId = response.headers.get('x-request-id') ?? '';
  return { status: response.status, requestId, json: await response.json() };
};
