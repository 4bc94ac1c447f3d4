/**
 * A queue with a line for each organization. Organizations take turns, so that no organization waits for the whole
 * backlog of another one.
 */
export type Turns<T> = {
  readonly size: number;
  /** @param key if an item with this key waits already, the new item replaces it and keeps its place */
  add(organizationId: string, key: string, item: T): void;
  keys(): string[];
  organizations(): string[];
  /** How many items of an organization wait. */
  sizeOf(organizationId: string): number;
  /**
   * Takes one item of each organization in turn, until `isFull` returns true or no item is left. Takes at least one
   * item if any waits.
   *
   * @param isFull whether the taken items are enough
   */
  take(isFull: (taken: readonly T[]) => boolean): T[];
};

export const createTurns = <T>(): Turns<T> => {
  /** The items of each organization, in the order of turns. The first organization is next. */
  const waiting = new Map<string, Map<string, T>>();
  const total = () => [...waiting.values()].reduce((sum, items) => sum + items.size, 0);

  const takeOne = (): T | undefined => {
    const [first] = waiting;
    if (first === undefined) return undefined;
    const [organizationId, items] = first;
    const next = items.entries().next();
    if (next.done) return undefined;
    const [key, item] = next.value;
    items.delete(key);
    waiting.delete(organizationId);
    if (items.size > 0) waiting.set(organizationId, items);
    return item;
  };

  return {
    get size() {
      return total();
    },
    add(organizationId, key, item) {
      const items = waiting.get(organizationId) ?? new Map<string, T>();
      waiting.set(organizationId, items);
      // A Map keeps the place of an existing key.
      items.set(key, item);
    },
    organizations: () => [...waiting.keys()],
    sizeOf: (organizationId) => waiting.get(organizationId)?.size ?? 0,
    keys: () => [...waiting.values()].flatMap((items) => [...items.keys()]),
    take(isFull) {
      const taken: T[] = [];
      do {
        const item = takeOne();
        if (item === undefined) break;
        taken.push(item);
      } while (!isFull(taken));
      return taken;
    },
  };
};
