import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

export type LogLine = Record<string, any>;

/** An app of ours that runs as a process, from source. */
export type ServiceProcess = {
  pid: number;
  /** What it has logged. */
  lines: LogLine[];
  /** Resolves with the first line that matches, of those it has logged and those to come. */
  logged(matches: (line: LogLine) => boolean): Promise<LogLine>;
  /** Sends a signal; SIGKILL and SIGTERM resolve when the process is gone, with its exit code. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
  /** Resolves when it is gone, for whatever reason, and all it has logged was read; with its exit code. */
  exited: Promise<number | null>;
  send(signal: NodeJS.Signals): void;
};

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export const startProcess = (app: string, environment: Record<string, string>): ServiceProcess => {
  const child = spawn(process.execPath, ['--conditions=@chairside/source', `apps/${app}/src/entry.ts`], {
    cwd: root,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  // Not `exit`: what it logged last is still to be read then.
  const exited = once(child, 'close').then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
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
          `${app} ended with ${code}:\n${lines.map((each) => JSON.stringify(each)).join('\n')}`,
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
  startProcess('api', { ...environment, PORT: '0', METRICS_PORT: '0' });

/** Resolves with the address at which it listens. */
export const apiAddress = async (api: ServiceProcess): Promise<string> => {
  const { msg } = await api.logged(({ msg: text }) => /listening at/.test(text));
  return msg.slice(msg.indexOf('http://'));
};

export const startDispatcher = (environment: Record<string, string>): ServiceProcess =>
  startProcess('webhook-dispatcher', { ...environment, HEALTH_PORT: '0' });

export const untilDispatching = async (dispatcher: ServiceProcess): Promise<void> => {
  await dispatcher.logged(({ msg }) => msg === 'dispatching');
};

export type Answer = { status: number; requestId: string; json: any };

/** Asks the api; rejects when there is no answer. */
export const callApi = async (
  address: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<Answer> => {
  const response = await fetch(address + path, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  const requestId = response.headers.get('x-request-id') ?? '';
  return { status: response.status, requestId, json: await response.json() };
};
