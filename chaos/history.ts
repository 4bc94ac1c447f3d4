import { RECONNECTION } from './limits.ts';

/** A period in which a part was down or paused, or got too little CPU time. Times are milliseconds since 1970. */
export type Down = {
  target: string;
  how: 'killed' | 'stopped' | 'paused' | 'starved';
  from: number;
  /** The end of the period. */
  until: number;
};

/** One dispatcher process. Times are milliseconds since 1970. */
export type Life = {
  target: string;
  /** The id of the process in the deliveries that it claimed. */
  worker: string;
  /** When it was killed or exited unexpectedly (which is reported elsewhere). Undefined after SIGTERM. */
  diedAt: number | undefined;
  /** The deliveries whose outcome it has logged. */
  reported: readonly string[];
  /** The times of its logged errors. */
  errors: readonly number[];
};

/** @returns a function that finds the process that claimed a delivery */
export const lifeIn = (lives: readonly Life[]) => {
  const byWorker = new Map(lives.map((life) => [life.worker, life]));
  return ({ worker = '' }: { worker?: string }): Life | undefined => byWorker.get(worker);
};

export const isDispatcher = (target: string): boolean => target.startsWith('dispatcher');

/** The periods in which work could not proceed: pauses of these targets, starvation, and outages of the database. */
export const hindrancesOf = (downs: readonly Down[], isHindered: (target: string) => boolean): Down[] =>
  downs
    // A killed process does not count: it does not continue, and another process takes over.
    .filter(
      ({ target, how }) =>
        (isHindered(target) && how === 'paused') || how === 'starved' || target === 'mongodb',
    )
    .map((down) => (down.target === 'mongodb' ? { ...down, until: down.until + RECONNECTION } : down));

export const overlaps = ({ from, until }: Down, begin: number, end: number): boolean =>
  from <= end && until >= begin;

/**
 * The milliseconds between two times, without the periods in which work could not proceed. 0 if the second time
 * is not later.
 */
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

/** The pause between two checks, in milliseconds. */
const WATCH_INTERVAL_MS = 100;
/** The delay of this process that counts as starvation, in milliseconds. */
const STARVED = 1000;
/** The time of one write that counts as starvation of the database, in milliseconds. The longest of a machine without other work: 274. */
const SLOW = 500;

/** What is found while the watch runs. */
export type Watch = { downs: readonly Down[]; stop(): void };

/** Finds the periods in which this process, and so every receiver, got no CPU time. */
export const watchStarvation = (): Watch => {
  const downs: Down[] = [];
  let last = Date.now();
  const timer = setInterval(() => {
    const now = Date.now();
    if (now - last > STARVED) downs.push({ target: 'receivers', how: 'starved', from: last, until: now });
    last = now;
  }, WATCH_INTERVAL_MS);
  return { downs, stop: () => clearInterval(timer) };
};

/**
 * Finds the periods in which the machine had so much other work that the database took long for a single write.
 *
 * @param write writes one document, which no part of the service uses
 */
export const watchWrites = (write: () => Promise<unknown>): Watch => {
  const downs: Down[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const look = async (): Promise<void> => {
    const from = Date.now();
    // A write that fails meets a database that is down, which is known.
    await write().catch(() => {});
    const until = Date.now();
    if (until - from > SLOW) downs.push({ target: 'machine', how: 'starved', from, until });
    if (!isStopped) timer = setTimeout(() => void look(), WATCH_INTERVAL_MS);
  };
  void look();
  return {
    downs,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
};
