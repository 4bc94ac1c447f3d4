import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { EngineOptions } from '../src/index.ts';
import { childrenOf, identify } from '../src/process-identity.ts';
import { withoutGivenEngines } from './environment.ts';

export type Held = { mongodb: string; redis: string; pids: number[] };

export type Holder = {
  process: ChildProcess;
  held: Held;
  /** The next line that it prints; undefined when it has ended. */
  nextLine(): Promise<string | undefined>;
};

/** Another process that starts both engines; in a process group of its own, as a shell makes one for a command. */
export async function holdEngines(options: EngineOptions): Promise<Holder> {
  const program = fileURLToPath(new URL('./holder.ts', import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(options)], {
    detached: true,
    env: withoutGivenEngines(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => (await lines.next()).value as string | undefined;
  const first = await nextLine();
  if (first === undefined) throw new Error('the other process could not start its engines');
  return { process: child, held: JSON.parse(first) as Held, nextLine };
}

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/** Those of the processes that still run. */
export async function running(pids: readonly number[]): Promise<number[]> {
  const found = await Promise.all(pids.map(identify));
  return found.filter((each) => each !== undefined).map(({ pid }) => pid);
}

/** SIGKILL to the watchdogs of a process: those of its children that are shells. */
export async function killWatchdogs(pid: number): Promise<void> {
  for (const child of await childrenOf(pid)) {
    const name = await readFile(`/proc/${child}/comm`, 'utf8');
    if (name.trim() === 'sh') process.kill(child, 'SIGKILL');
  }
}
