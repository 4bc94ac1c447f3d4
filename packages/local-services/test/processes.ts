import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { childrenOf, identify, nodeArguments } from '@chairside/processes';
import type { EngineOptions } from '../src/index.ts';
import { withoutGivenEngines } from './environment.ts';

export type Program = {
  process: ChildProcess;
  /** Returns the next line that the process prints. Throws if the process has ended instead. */
  nextLine(): Promise<string>;
};

/** Runs a program of this folder in its own process group, as a shell does for a command. */
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

/** Starts another process, which starts both engines and keeps them running. */
export async function holdEngines(options: EngineOptions): Promise<Program & { held: Held }> {
  const program = runProgram('holder', [JSON.stringify(options)]);
  return { ...program, held: JSON.parse(await program.nextLine()) as Held };
}

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/** Returns the pids of the processes that are still running. */
export async function running(pids: readonly number[]): Promise<number[]> {
  const found = await Promise.all(pids.map(identify));
  return found.filter((each) => each !== undefined).map(({ pid }) => pid);
}

/** Sends SIGKILL to the watchdogs of a process, which are those of its children that are shells. */
export async function killWatchdogs(pid: number): Promise<void> {
  for (const child of await childrenOf(pid)) {
    const name = await readFile(`/proc/${child}/comm`, 'utf8');
    if (name.trim() === 'sh') process.kill(child, 'SIGKILL');
  }
}
