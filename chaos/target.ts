import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '@chairside/local-services';
import type { ServiceProcess } from '@chairside/test-support';
import type { Down } from './history.ts';

/** A part of the service that can be killed, paused and stopped, and starts again afterwards. */
export type Target = {
  readonly name: string;
  readonly kills: number;
  readonly isPaused: boolean;
  /** The periods in which the part was down or paused. */
  readonly downs: readonly Down[];
  /** Resolves when it is up. Rejects if it does not start again. */
  whenUp(): Promise<void>;
  /** Sends SIGKILL. The part starts again after this many milliseconds, which is not awaited. */
  kill(rest: number): Promise<void>;
  /** Shuts the part down. It starts again after this many milliseconds, which is not awaited. */
  stop(rest: number): Promise<void>;
  /** Pauses the part for this many milliseconds, which is not awaited. */
  pause(milliseconds: number): void;
};

type Handle = {
  kill(): Promise<unknown>;
  stop(): Promise<unknown>;
  start(): Promise<void>;
  send(signal: 'SIGSTOP' | 'SIGCONT'): void;
};

export const openTarget = (name: string, handle: Handle, signal: AbortSignal): Target => {
  let kills = 0;
  let isPaused = false;
  let up: Promise<void> = Promise.resolve();
  const downs: Down[] = [];
  const isDownUntil = (how: Down['how'], work: Promise<void>): void => {
    const down: Down = { target: name, how, from: Date.now(), until: Number.POSITIVE_INFINITY };
    downs.push(down);
    up = work.then(() => {
      down.until = Date.now();
    });
    up.catch(() => {});
  };
  const end = async (how: 'killed' | 'stopped', ending: Promise<unknown>, rest: number): Promise<void> => {
    isDownUntil(
      how,
      ending.then(() => sleep(rest, undefined, { signal })).then(() => handle.start()),
    );
    await ending;
  };
  return {
    name,
    get kills() {
      return kills;
    },
    get isPaused() {
      return isPaused;
    },
    downs,
    whenUp: () => up,
    async kill(rest) {
      kills++;
      await end('killed', handle.kill(), rest);
    },
    stop: (rest) => end('stopped', handle.stop(), rest),
    pause(milliseconds) {
      isPaused = true;
      handle.send('SIGSTOP');
      const resume = () => {
        handle.send('SIGCONT');
        isPaused = false;
      };
      // Resume even if the run is interrupted: a paused process cannot shut down.
      isDownUntil('paused', sleep(milliseconds, undefined, { signal }).finally(resume));
    },
  };
};

export const engineTarget = (name: string, engine: Engine, signal: AbortSignal): Target =>
  openTarget(
    name,
    {
      kill: () => engine.kill(),
      stop: () => engine.halt(),
      start: () => engine.resume(),
      send(toSend) {
        for (const pid of engine.pids) process.kill(pid, toSend);
      },
    },
    signal,
  );

/** The maximum number of starts in a row of a process that does not become ready. */
const STARTS = 5;

/** A process of the service. It must not exit unless it is killed or shut down. */
export type App = {
  target: Target;
  /** Ends the process for good and returns its exit code. */
  end(by: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
};

export type AppOptions = {
  name: string;
  start(): ServiceProcess;
  untilReady(app: ServiceProcess): Promise<void>;
  /** Called with a description after an unexpected exit or a failed start. The process is started again. */
  onEnded(what: string): void;
  /** Called for each exited process, with the time of a kill or an unexpected exit. Undefined after SIGTERM. */
  onGone(app: ServiceProcess, diedAt: number | undefined): void;
  signal: AbortSignal;
};

/** Starts a process of the service, and restarts it when it exits unexpectedly. */
export const startAppTarget = async (options: AppOptions): Promise<App> => {
  const { name, signal, onEnded } = options;
  let app: ServiceProcess;
  let isWanted = true;
  let killedAt: number | undefined;

  const startOnce = async (): Promise<void> => {
    const started = options.start();
    app = started;
    void started.exited.then(() => options.onGone(started, isWanted ? Date.now() : killedAt));
    await options.untilReady(started);
  };
  const startAgain = async (): Promise<void> => {
    isWanted = true;
    killedAt = undefined;
    for (let starts = 1; ; starts++) {
      try {
        await startOnce();
        break;
      } catch (error) {
        if (!isWanted || signal.aborted || starts === STARTS) throw error;
        onEnded(`${name} did not start: ${(error as Error).message.slice(0, 2000)}`);
        await sleep(1000, undefined, { signal });
      }
    }
    const watched = app;
    void watched.exited.then((code) => {
      if (app !== watched || !isWanted || signal.aborted) return;
      const last = watched.lines.slice(-3).map((line) => JSON.stringify(line).slice(0, 500));
      onEnded(`${name} exited unexpectedly with ${code}: ${last.join(' ')}`);
      startAgain().catch(() => {});
    });
  };
  const end = (by: 'SIGKILL' | 'SIGTERM'): Promise<number | null> => {
    isWanted = false;
    killedAt = by === 'SIGKILL' ? Date.now() : undefined;
    return app.end(by);
  };

  await startAgain();
  const handle: Handle = {
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    start: startAgain,
    send: (toSend) => app.send(toSend),
  };
  return { target: openTarget(name, handle, signal), end };
};
