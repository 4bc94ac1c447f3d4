import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '@chairside/local-services';
import type { ServiceProcess } from '../apps/demo/test/service-process.ts';

/** Something that is killed and paused, and comes back. */
export type Target = {
  readonly name: string;
  readonly kills: number;
  readonly isPaused: boolean;
  /** Resolves when it is up again; rejects when it does not come back. */
  whenUp(): Promise<void>;
  /** kill -9; it starts again after so many milliseconds, which is not waited for. */
  kill(rest: number): Promise<void>;
  /** Stands still for so many milliseconds, which are not waited for. */
  pause(milliseconds: number): void;
};

type Handle = {
  kill(): Promise<unknown>;
  start(): Promise<void>;
  send(signal: 'SIGSTOP' | 'SIGCONT'): void;
};

const openTarget = (name: string, { kill, start, send }: Handle, signal: AbortSignal): Target => {
  let kills = 0;
  let isPaused = false;
  let up: Promise<void> = Promise.resolve();
  const isDownUntil = (work: Promise<void>): void => {
    up = work;
    up.catch(() => {});
  };
  return {
    name,
    get kills() {
      return kills;
    },
    get isPaused() {
      return isPaused;
    },
    whenUp: () => up,
    async kill(rest) {
      kills++;
      const dead = kill();
      isDownUntil(dead.then(() => sleep(rest, undefined, { signal })).then(start));
      await dead;
    },
    pause(milliseconds) {
      isPaused = true;
      send('SIGSTOP');
      const goOn = () => {
        send('SIGCONT');
        isPaused = false;
      };
      // Also when the run is broken off: what stands still cannot be ended in good order.
      isDownUntil(sleep(milliseconds, undefined, { signal }).finally(goOn));
    },
  };
};

export const engineTarget = (name: string, engine: Engine, signal: AbortSignal): Target =>
  openTarget(
    name,
    {
      kill: () => engine.kill(),
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

/**
 * @param start starts the process, hands it over at once, and resolves when it is ready
 * @param onEnded told of an end that nobody asked for, with the last lines it logged; it is started again
 * @param onGone told of each process that is gone, for its log
 */
export const startAppTarget = async (
  name: string,
  start: (onSpawned: (app: ServiceProcess) => void) => Promise<void>,
  onEnded: (what: string) => void,
  onGone: (app: ServiceProcess) => void,
  signal: AbortSignal,
): Promise<App> => {
  let app: ServiceProcess;
  let isWanted = true;

  const startAgain = async (): Promise<void> => {
    isWanted = true;
    for (let starts = 1; ; starts++) {
      try {
        await start((spawned) => {
          app = spawned;
          void spawned.exited.then(() => onGone(spawned));
        });
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
    return app.end(by);
  };

  await startAgain();
  const handle: Handle = {
    kill: () => end('SIGKILL'),
    start: startAgain,
    send: (toSend) => app.send(toSend),
  };
  return { target: openTarget(name, handle, signal), end };
};
