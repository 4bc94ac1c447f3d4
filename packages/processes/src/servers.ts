import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { childrenOf, identify, isAlive, type ProcessIdentity } from './process-identity.ts';
import type { ProcessPlan, StopSteps } from './process-plan.ts';

/** A running server, in a form that can be stored as JSON and stopped by another process. */
export type ServerProcess = ProcessIdentity & { name: string; stop: StopSteps };

const POLL_MS = 15;
// The limit is high, because a database server that was killed may need a long recovery.
const READY_WITHIN_MS = 60_000;
const LOG_LINES_SHOWN = 12;

/**
 * Thrown when a server cannot be run, ends during its start, or is not ready in time. The message contains the end of
 * its log.
 */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}

/**
 * Starts a server in its own session, so that Ctrl-C in the terminal does not reach it, and waits until it is ready.
 * The server runs in `folder` and logs to `<name>.log` there. If this function throws, it has stopped the server.
 *
 * @param onSpawned called as soon as the server runs, before it is ready. Record the server here, so that it can be
 *   stopped if this process dies
 * @throws {StartFailure} if the server cannot be run, ends, or is not ready within 60 s
 * @throws the reason of `signal` if it is aborted, and any error of `onSpawned` or `plan.isReady`
 */
export async function startServer(
  plan: ProcessPlan,
  folder: string,
  signal: AbortSignal,
  onSpawned: (server: ServerProcess) => Promise<void>,
): Promise<ServerProcess> {
  const logPath = join(folder, `${plan.name}.log`);
  const log = await open(logPath, 'w');
  const child = spawn(plan.command, plan.arguments, {
    cwd: folder,
    detached: true,
    env: plan.environment ?? process.env,
    stdio: ['ignore', log.fd, log.fd],
  });
  child.unref();
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw new StartFailure(`${plan.name} cannot be run: ${(error as Error).message}`);
  } finally {
    await log.close();
  }
  const ended = () => child.exitCode !== null || child.signalCode !== null;
  const identity = child.pid === undefined ? undefined : await identify(child.pid);
  if (identity === undefined) throw await startFailure(plan.name, 'ended at once', logPath);
  const server = { ...identity, name: plan.name, stop: plan.stop };
  try {
    await onSpawned(server);
    const deadline = Date.now() + READY_WITHIN_MS;
    while (!(await plan.isReady(server.pid))) {
      signal.throwIfAborted();
      if (ended()) throw await startFailure(plan.name, 'ended while it started', logPath);
      if (Date.now() > deadline) throw await startFailure(plan.name, 'was not ready in time', logPath);
      await delay(POLL_MS);
    }
  } catch (error) {
    await stopServer(server);
    throw error;
  }
  return server;
}

async function startFailure(name: string, what: string, logPath: string): Promise<StartFailure> {
  const log = await readFile(logPath, 'utf8').catch(() => '');
  const lines = log.trim().split('\n').slice(-LOG_LINES_SHOWN).join('\n');
  return new StartFailure(`${name} ${what}${lines === '' ? '' : `:\n${lines}`}`);
}

/** Sends the stop signals of the server in order until it has exited. If it survives them all, SIGKILL follows. */
export async function stopServer(server: ServerProcess): Promise<void> {
  for (const { signal, withinMs } of server.stop) {
    if (!(await isAlive(server))) return;
    sendSignal(server.pid, signal);
    if (await isGoneWithin([server], withinMs)) return;
  }
  await killServers([server]);
}

/** Sends SIGKILL to the servers and their children at once, as if the machine failed. Resolves when all have exited. */
export async function killServers(servers: readonly ProcessIdentity[]): Promise<void> {
  const alive = [];
  for (const server of servers) {
    if (!(await isAlive(server))) continue;
    const children = await Promise.all((await childrenOf(server.pid)).map(identify));
    alive.push(server, ...children.filter((child) => child !== undefined));
  }
  for (const { pid } of alive) sendSignal(pid, 'SIGKILL');
  if (!(await isGoneWithin(alive, 5_000))) throw new Error('a process survived SIGKILL');
}

async function isGoneWithin(processes: readonly ProcessIdentity[], milliseconds: number): Promise<boolean> {
  const deadline = Date.now() + milliseconds;
  for (;;) {
    const alive = await Promise.all(processes.map(isAlive));
    if (!alive.includes(true)) return true;
    if (Date.now() > deadline) return false;
    await delay(POLL_MS);
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process ended between the check and the signal.
  }
}
