import { RECONNECTION } from './limits.ts';

/** A time in which something was away, in milliseconds since 1970. */
export type Down = {
  target: string;
  how: 'killed' | 'stopped' | 'paused' | 'starved';
  from: number;
  /** When it was there again. */
  until: number;
};

/** One process of a dispatcher; times in milliseconds since 1970. */
export type Life = {
  target: string;
  /** What its Deliveries call it. */
  worker: string;
  /** When it was killed, or ended by itself, which is told elsewhere; undefined if it was asked to end. */
  diedAt: number | undefined;
  /** The Deliveries whose end it has logged. */
  reported: readonly string[];
  /** When it has logged errors. */
  errors: readonly number[];
};

/** @returns a function that finds the process that claimed a delivery */
export const lifeIn = (lives: readonly Life[]) => {
  const byWorker = new Map(lives.map((life) => [life.worker, life]));
  return ({ worker = '' }: { worker?: string }): Life | undefined => byWorker.get(worker);
};

export const isDispatcher = (target: string): boolean => target.startsWith('dispatcher');

/** What kept work from being done: what it was done by, or needs, was away. */
export const hindrancesOf = (downs: readonly Down[], isHindered: (target: string) => boolean): Down[] =>
  downs
    // Who is killed does not come back: another process does.
    .filter(
      ({ target, how }) =>
        (isHindered(target) && how === 'paused') || how === 'starved' || target === 'mongodb',
    )
    .map((down) => (down.target === 'mongodb' ? { ...down, until: down.until + RECONNECTION } : down));

export const overlaps = ({ from, until }: Down, begin: number, end: number): boolean =>
  from <= end && until >= begin;

/** Milliseconds between two times in which nothing hindered; 0 if the second is not later. */
export const freeTime = (hindrances: readonly Down[], begin: number, end: number): number => {
  let free = 0;
  let reached = begin;
  const inOrder = hindrances.filter((down) => overlaps(down, begin, end)).sort((a, b) => a.from - b.from);
  for (const { from, until } of inOrder) {
    free += Math.max(0, from - reached);
    reached = Math.max(reached, until);
  }
  return free + Math.max(0, end - reached);
};

/** How often the watch looks, and how late that counts, in milliseconds. */
const WATCH_INTERVAL = 100;
const STARVED = 1000;

/** Finds the times in which this process, and with it every receiver, did not get to run. */
export const watchStarvation = (): { downs: readonly Down[]; stop(): void } => {
  const downs: Down[] = [];
  let last = Date.now();
  const timer = setInterval(() => {
    const now = Date.now();
    if (now - last > STARVED) downs.push({ target: 'receivers', how: 'starved', from: last, until: now });
    last = now;
  }, WATCH_INTERVAL);
  return { downs, stop: () => clearInterval(timer) };
};
