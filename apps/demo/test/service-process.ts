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
  send(signal: NodeJS.Signals): void;
};

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export const startProcess = (app: string, environment: Record<string, string>): ServiceProcess => {
  const child = spawn(process.execPath, ['--conditions=@chairside/source', `apps/${app}/src/main.ts`], {
    cwd: root,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const exited = once(child, 'exit').then(([code]) => {
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
    send: (signal) => void child.kill(signal),
  };
};
