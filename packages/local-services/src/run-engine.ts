import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  isAlive,
  killServers,
  type ServerProcess,
  StartFailure,
  startServer,
  stopServer,
} from '@chairside/processes';
import { exists } from './cache-entry.ts';
import type { Engine } from './engine.ts';
import type { EnginePlan } from './engine-plan.ts';
import { withFreePorts } from './free-ports.ts';
import type { Home } from './home.ts';
import { LocalServicesError, reasonOf } from './problem.ts';

const RESPONSE_TIMEOUT_MS = 10_000;

/**
 * Starts the processes of `plan` in their subfolder of `home`. `stop` closes `home`. If this function throws, no
 * process runs, a newly created subfolder has been removed, and `home` is still open.
 */
export async function runEngine(plan: EnginePlan, home: Home, signal: AbortSignal): Promise<Engine> {
  const running = new RunningEngine(plan, home);
  await running.start(signal);
  return running;
}

class RunningEngine implements Engine {
  readonly started = true;
  readonly source: string;
  readonly #plan: EnginePlan;
  readonly #home: Home;
  readonly #folder: string;
  #port = 0;
  #servers: ServerProcess[] = [];
  #stopped: Promise<void> | undefined;

  constructor(plan: EnginePlan, home: Home) {
    this.source = plan.description;
    this.#plan = plan;
    this.#home = home;
    this.#folder = join(home.directory, plan.kind);
  }

  get url(): string {
    return this.#plan.url(this.#port);
  }

  get pids(): readonly number[] {
    return this.#servers.map(({ pid }) => pid);
  }

  async start(signal: AbortSignal): Promise<void> {
    const isNew = !(await exists(this.#folder));
    try {
      if (isNew) await this.#layOut(signal);
      await this.#startOnFreePort(signal);
    } catch (error) {
      await this.#killAll();
      if (isNew) await rm(this.#folder, { recursive: true, force: true });
      throw error;
    }
  }

  /**
   * Prepares the folder under another name until it is complete, so that an interrupted preparation is started again.
   */
  async #layOut(signal: AbortSignal): Promise<void> {
    const unfinished = `${this.#folder}.new`;
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished);
    await this.#plan.layOut(unfinished, signal);
    await rename(unfinished, this.#folder);
  }

  async #startOnFreePort(signal: AbortSignal): Promise<void> {
    await withFreePorts(1, async ([port = 0]) => {
      this.#port = port;
      try {
        await this.#startProcesses(signal);
      } catch (error) {
        await this.#killAll();
        throw error;
      }
    });
  }

  async stop(): Promise<void> {
    this.#stopped ??= this.#stopOnce();
    await this.#stopped;
  }

  async kill(): Promise<void> {
    await this.#killAll();
  }

  async halt(): Promise<void> {
    // The stop is orderly, as for maintenance, even if the data is temporary.
    const place = { folder: this.#folder, port: this.#port, durable: true };
    const steps = new Map(this.#plan.processes(place).map(({ name, stop }) => [name, stop]));
    for (const server of this.#servers.toReversed()) {
      await stopServer({ ...server, stop: steps.get(server.name) ?? server.stop });
    }
    this.#servers = [];
  }

  async resume(): Promise<void> {
    if (this.#stopped !== undefined) {
      throw new LocalServicesError('ENGINE_FAILED', `${this.source} was stopped. Start a new one.`);
    }
    const alive = await Promise.all(this.#servers.map(isAlive));
    if (alive.length > 0 && !alive.includes(false)) return;
    try {
      await this.#killAll();
      await this.#startProcesses(new AbortController().signal);
    } catch (error) {
      await this.#killAll();
      throw new LocalServicesError(
        'ENGINE_FAILED',
        `${this.source} did not start again: ${reasonOf(error)}`,
        {
          cause: error,
        },
      );
    }
  }

  async #startProcesses(signal: AbortSignal): Promise<void> {
    const place = { folder: this.#folder, port: this.#port, durable: this.#home.durable };
    for (const process of this.#plan.processes(place)) {
      signal.throwIfAborted();
      // The server is recorded before it is ready, so that the watchdog or the next start can stop it.
      await startServer(process, this.#folder, signal, (server) => {
        this.#servers = [...this.#servers, server];
        return this.#home.record(this.#servers);
      });
    }
    await this.#waitForOwnResponse(signal);
  }

  /**
   * Waits until the engine responds. The response must come from our process, because another server may use the port.
   */
  async #waitForOwnResponse(signal: AbortSignal): Promise<void> {
    const deadline = Date.now() + RESPONSE_TIMEOUT_MS;
    for (;;) {
      try {
        const pid = await this.#plan.runningPid(this.#port);
        if (this.pids.includes(pid)) return;
        throw new StartFailure(`another process (${pid}) listens on port ${this.#port}`);
      } catch (error) {
        if (error instanceof StartFailure) throw error;
        const alive = await Promise.all(this.#servers.map(isAlive));
        if (alive.includes(false))
          throw new StartFailure(`it ended right after its start: ${reasonOf(error)}`);
        if (Date.now() > deadline) throw new StartFailure(`it does not respond: ${reasonOf(error)}`);
      }
      await delay(50, undefined, { signal });
    }
  }

  async #stopOnce(): Promise<void> {
    for (const server of this.#servers.toReversed()) await stopServer(server);
    this.#servers = [];
    await this.#home.close();
  }

  async #killAll(): Promise<void> {
    await killServers(this.#servers);
    this.#servers = [];
  }
}
