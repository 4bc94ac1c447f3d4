import { setTimeout as sleep } from 'node:timers/promises';
import { batched } from '@chairside/concurrency';
import { isDatabaseUnavailable } from '@chairside/mongodb';

/** Maximum number of changes that are stored together. */
const MAX_GROUP = 200;
/** How long changes are collected after a group that was smaller than half of `MAX_GROUP`. */
const GATHERING_MS = 20;
/** The pause before the second try to store changes, in milliseconds. Each further pause is twice as long. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10_000;
/**
 * How often a group is tried as a whole while the database is unavailable. Then its halves are tried on their own,
 * because one change may be the cause.
 */
const MAX_TRIES = 4;
/**
 * Maximum number of refused changes that are set aside. Beyond that, a refused change keeps the place of its delivery, so
 * the process begins fewer attempts.
 */
const MAX_ASIDE = 1000;

export type GroupStoreOptions = {
  /** Waits between two tries. Tests replace it. */
  pause?: (milliseconds: number) => Promise<unknown>;
  onError(error: unknown): void;
};

/** Stores changes in groups, and gives none up while the process lives. */
export type GroupStore<T> = {
  /** Resolves when the change is stored or set aside. It never rejects. */
  store(change: T): Promise<void>;
  /** The number of changes that are set aside. */
  aside(): number;
  /** Resolves when no change is set aside. */
  stop(): Promise<void>;
};

/** The pauses between tries, the next one at each call. */
const growingPauses = (pause: (milliseconds: number) => Promise<unknown>) => {
  let next = FIRST_PAUSE_MS;
  return async (): Promise<void> => {
    const milliseconds = next;
    next = Math.min(2 * next, LONGEST_PAUSE_MS);
    await pause(milliseconds);
  };
};

/**
 * A group that the database refuses is halved until the refused change is alone. It is then set aside, and tried again
 * with growing pauses.
 *
 * @param storeTogether stores a group; the call may be repeated
 */
export const createGroupStore = <T>(
  storeTogether: (group: readonly T[]) => Promise<void>,
  { pause = sleep, onError }: GroupStoreOptions,
): GroupStore<T> => {
  const aside = new Set<Promise<void>>();

  /** Tries to store the changes, four times while the database is unavailable. */
  const tryTogether = async (group: readonly T[]): Promise<void> => {
    const rest = growingPauses(pause);
    for (let tries = 1; ; tries++) {
      try {
        return await storeTogether(group);
      } catch (error) {
        if (!isDatabaseUnavailable(error) || tries === MAX_TRIES) throw error;
        onError(error);
      }
      await rest();
    }
  };

  /** Tries until the change is stored, whatever the errors. */
  const untilStored = async (change: T): Promise<void> => {
    const rest = growingPauses(pause);
    for (;;) {
      await rest();
      try {
        return await storeTogether([change]);
      } catch (error) {
        onError(error);
      }
    }
  };

  /** Resolves when the change is stored, or at once if there is room to set it aside. */
  const setAside = async (change: T, error: unknown): Promise<void> => {
    const stored = untilStored(change);
    // While the database is unavailable, deliveries keep their places, so that the process does not send what it cannot
    // record.
    if (isDatabaseUnavailable(error) || aside.size >= MAX_ASIDE) return stored;
    aside.add(stored);
    void stored.then(() => aside.delete(stored));
  };

  /** Stores the two halves of a group on their own. */
  const storeHalves = (group: readonly T[], error: unknown): Promise<void>[] => {
    onError(error);
    if (group.length <= 1) return group.map((change) => setAside(change, error));
    const middle = group.length / 2;
    return [group.slice(0, middle), group.slice(middle)].flatMap((half) => {
      const stored = storeTogether(half).then(
        () => half.map(() => Promise.resolve()),
        (problem) => storeHalves(half, problem),
      );
      return half.map(async (_change, index) => (await stored)[index]);
    });
  };

  return {
    store: batched<T, void>(
      async (group) => {
        try {
          await tryTogether(group);
          return [];
        } catch (error) {
          return storeHalves(group, error);
        }
      },
      MAX_GROUP,
      { restMs: GATHERING_MS },
    ),
    aside: () => aside.size,
    stop: async () => void (await Promise.all(aside)),
  };
};
