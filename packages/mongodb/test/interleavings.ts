import type { Database } from '../src/driver/database.ts';

/*
 * Runs several actors over one database, one statement at a time, in an order that the caller chooses. An actor stands
 * for a process: it can be left standing between any two of its statements, for any time or for ever.
 */

/** No actor writes to these, so their order does not matter, and a booking reads them beside its appointments. */
const UNGATED = ['calendarBlocks'];

/** A database on which each statement waits for `gate` before it is sent. */
const gated = (database: Database, gate: () => Promise<void>): Database =>
  database.with({
    async around(statement, collection) {
      if (!UNGATED.includes(collection)) await gate();
      return statement();
    },
  });

export type Actor = {
  /** Whether the work has ended. */
  hasEnded(): boolean;
  /** Lets the actor send its next statement. Resolves when it waits for the one after it, or has ended. */
  step(): Promise<void>;
};

/**
 * Starts the work of an actor. Resolves when it waits for its first statement, or has ended.
 *
 * @param work receives the database, and a function that makes the actor wait before its statements to another one, too
 */
export const startActor = async (
  database: Database,
  work: (database: Database, gatedToo: (other: Database) => Database) => Promise<unknown>,
): Promise<Actor> => {
  let resume: (() => void) | undefined;
  let hasEnded = false;
  let failure: unknown;
  let paused = Promise.withResolvers<void>();
  const gate = () =>
    new Promise<void>((resolve) => {
      resume = resolve;
      paused.resolve();
    });
  work(gated(database, gate), (other) => gated(other, gate))
    .catch((error: unknown) => {
      failure = error;
    })
    .finally(() => {
      hasEnded = true;
      paused.resolve();
    });
  const settled = async () => {
    await paused.promise;
    if (failure !== undefined) throw failure;
  };
  await settled();
  return {
    hasEnded: () => hasEnded,
    async step() {
      paused = Promise.withResolvers();
      resume?.();
      await settled();
    },
  };
};

/** A decision between several actors: which of how many was chosen. */
type Choice = { chosen: number; of: number };

/**
 * Lets actors take steps until all have ended.
 *
 * @param choose returns which of this number of actors takes the next step
 */
export const interleave = async (
  actors: readonly Actor[],
  choose: (of: number) => number,
): Promise<Choice[]> => {
  const choices: Choice[] = [];
  for (;;) {
    const able = actors.filter((actor) => !actor.hasEnded());
    if (able.length === 0) return choices;
    const chosen = able.length === 1 ? 0 : choose(able.length);
    if (able.length > 1) choices.push({ chosen, of: able.length });
    await (able[chosen] as Actor).step();
  }
};

/** How many runs are in progress at once. Each has data of its own. */
const RUNS_AT_ONCE = 6;

/**
 * Runs a scenario once in each possible order of the steps of its actors.
 *
 * @param run runs the scenario and returns the choices that it has made
 * @returns the number of orders
 */
export const everyOrder = async (
  run: (choose: (of: number) => number) => Promise<readonly Choice[]>,
): Promise<number> => {
  const open: number[][] = [[]];
  let count = 0;
  const work = async (): Promise<void> => {
    const begin = open.pop();
    if (begin === undefined) return;
    let at = 0;
    const choices = await run(() => begin[at++] ?? 0);
    count++;
    for (let index = begin.length; index < choices.length; index++) {
      const before = choices.slice(0, index).map(({ chosen }) => chosen);
      for (let other = 1; other < (choices[index]?.of ?? 0); other++) open.push([...before, other]);
    }
  };
  while (open.length > 0) {
    await Promise.all(Array.from({ length: Math.min(RUNS_AT_ONCE, open.length) }, work));
  }
  return count;
};

/** Random numbers from a seed (mulberry32). */
export const randomFrom = (seed: number): ((below: number) => number) => {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
};
