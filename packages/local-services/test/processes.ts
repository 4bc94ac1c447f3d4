import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { childrenOf, identify, nodeArguments } from '@chairside/processes';
import type { EngineOptions } from '../src/index.ts';
import { withoutGivenEngines } from './environment.ts';

export type Program = {
  process: ChildProcess;
  /** The next line that it prints; throws when it has ended instead. */
  nextLine(): Promise<string>;
};

/** Runs a program of this folder, in a process group of its own, as a shell makes one for a command. */
export function runProgram(name: 'holder' | 'cache-filler', args: readonly string[]): Program {
  const child = spawn(process.execPath, [...nodeArguments(import.meta.url, name), ...args], {
    detached: true,
    env: withoutGivenEngines(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${name} has ended`);
    return value;
  };
  return { process: child, nextLine };
}

export type Held = { mongodb: string; redis: string; pids: number[] };

/** Another process that starts both engines and keeps them. */
export async function holdEngines(options: EngineOptions): Promise<Program & { held: Held }> {
  const program = runProgram('holder', [JSON.stringify(options)]);
  return { ...program, held: JSON.parse(await program.nextLine()) as Held };
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
