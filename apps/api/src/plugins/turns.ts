/** Lets so many work at once; the others wait, and those who wait take turns by their group. */
export type Turns = {
  /** Resolves when it is the turn of the next of this group. */
  take(group: string): Promise<void>;
  giveBack(): void;
};

/**
 * @param max how many may have a turn at once
 * @param onWaiting told how many wait, whenever that changes
 */
export const createTurns = (max: number, onWaiting: (count: number) => void): Turns => {
  let taken = 0;
  let waiting = 0;
  /** Who waits, in the order of their groups' next turns. */
  const groups = new Map<string, (() => void)[]>();

  const change = (by: 1 | -1): void => {
    waiting += by;
    onWaiting(waiting);
  };

  return {
    async take(group) {
      if (taken < max) {
        taken++;
        return;
      }
      const turn = new Promise<void>((resolve) => {
        const members = groups.get(group);
        if (members === undefined) groups.set(group, [resolve]);
        else members.push(resolve);
      });
      change(1);
      await turn;
    },

    giveBack() {
      const [first] = groups;
      if (first === undefined) {
        taken--;
        return;
      }
      const [group, members] = first;
      const next = members.shift();
      // Its group has had its turn: the others come first.
      groups.delete(group);
      if (members.length > 0) groups.set(group, members);
      change(-1);
      next?.();
    },
  };
};
