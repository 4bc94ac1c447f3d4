import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '@chairside/local-services';
import type { ServiceProcess } from '@chairside/test-support';
import type { Down } from './history.ts';

/** Something that is killed, paused and stopped, and comes back. */
export type Target = {
  readonly name: string;
  readonly kills: number;
  readonly isPaused: boolean;
  /** When it was away. */
  readonly downs: readonly Down[];
  /** Resolves when it is up again; rejects when it does not come back. */
  whenUp(): Promise<void>;
  /** kill -9; it starts again after so many milliseconds, which is not waited for. */
  kill(rest: number): Promise<void>;
  /** Ends in good order; it starts again after so many milliseconds, which is not waited for. */
  stop(rest: number): Promise<void>;
  /** Stands still for so many milliseconds, which are not waited for. */
  pause(milliseconds: number): void;
};

type Handle = {
  kill(): Promise<unknown>;
  stop(): Promise<unknown>;
  start(): Promise<void>;
  send(signal: 'SIGSTOP' | 'SIGCONT'): void;
};

const openTarget = (name: string, handle: Handle, signal: AbortSignal): Target => {
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
      const goOn = () => {
        handle.send('SIGCONT');
        isPaused = false;
      };
      // Also when the run is broken off: what stands still cannot be ended in good order.
      isDownUntil('paused', sleep(milliseconds, undefined, { signal }).finally(goOn));
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

/** How often a process is started that does not get ready, as whoever watches over it would. */
const STARTS = 5;

/** A process of ours, which ends only when it is killed. */
export type App = {
  target: Target;
  /** Ends it for good, and tells its exit code. */
  end(by: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
};

export type AppOptions = {
  name: string;
  start(): ServiceProcess;
  untilReady(app: ServiceProcess): Promise<void>;
  /** Told of an end that nobody asked for, with the last lines it logged; it is started again. */
  onEnded(what: string): void;
  /** Told of each process that is gone, and when it was killed or ended by itself; undefined if it was asked to end. */
  onGone(app: ServiceProcess, diedAt: number | undefined): void;
  signal: AbortSignal;
};

/** Starts a process of ours, and again whenever it ends. */
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
      onEnded(`${name} ended by itself with ${code}: ${last.join(' ')}`);
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
