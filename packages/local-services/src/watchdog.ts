import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { ServerProcess } from './server-process.ts';

/** What is to be cleared away when this process ends without having done so. */
export type Watched = {
  /** In the order they were started. */
  servers: ServerProcess[];
  /** A folder to remove afterwards. */
  throwAway?: string;
};

export type WatchdogMessage = { id: string; watched: Watched | null };

export type Watch = {
  /** Replaces what is watched under this entry. */
  update(watched: Watched): void;
  end(): void;
};

let running: ChildProcess | undefined;

/** Registers an entry with the watchdog of this process, which is started with the first one. */
export function watch(watched: Watched): Watch {
  const id = randomUUID();
  const send = (message: WatchdogMessage) => watchdog().stdin?.write(`${JSON.stringify(message)}\n`);
  send({ id, watched });
  return {
    update: (next) => send({ id, watched: next }),
    end: () => send({ id, watched: null }),
  };
}

function watchdog(): ChildProcess {
  if (running !== undefined && running.exitCode === null && running.signalCode === null) return running;
  // Beside this file, in source form or built.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const program = fileURLToPath(new URL(`./watchdog-process.${extension}`, import.meta.url));
  running = spawn(process.execPath, [program], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  running.unref();
  // Neither the watchdog nor its pipe keeps this process alive; a watchdog that has died is no reason to fail.
  const { stdin } = running;
  stdin?.on('error', () => {});
  if (stdin !== null && 'unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  return running;
}
