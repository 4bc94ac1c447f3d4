import type { Lanes as LaneStore } from '@chairside/mongodb';

/** How often open lanes are renewed and idle ones closed, in milliseconds. */
export const RENEW_INTERVAL = 10_000;

/** What the database knows of the lanes of this process: those of a dead one are found by it. */
export type OpenLanes = {
  /** Resolves when the database knows that these lanes are open. */
  ensure(subscriptionIds: readonly string[]): Promise<void>;
  /** Hands what waits to other processes. */
  handOver(): Promise<void>;
};

/**
 * @param closeIdle forgets the lanes that have nothing to do any more, and says which
 */
export const createOpenLanes = (
  worker: string,
  store: LaneStore,
  closeIdle: () => string[],
  onError: (error: unknown) => void,
): OpenLanes => {
  const known = new Set<string>();
  /** Opening and closing reach the database in turn, so that a lane is never open here and closed there. */
  let turn: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = turn.then(work);
    turn = done.catch(() => {});
    return done;
  };

  const renew = async (): Promise<void> => {
    const idle = closeIdle();
    for (const id of idle) known.delete(id);
    if (idle.length > 0) await store.close(worker, idle);
    await store.keepOpen(worker, [...known]);
  };
  const timer = setInterval(() => inTurn(renew).catch(onError), RENEW_INTERVAL);

  const open = async (subscriptionIds: readonly string[]): Promise<void> => {
    const unknown = subscriptionIds.filter((id) => !known.has(id));
    await store.keepOpen(worker, unknown);
    for (const id of unknown) known.add(id);
  };

  return {
    async ensure(subscriptionIds) {
      if (subscriptionIds.some((id) => !known.has(id))) await inTurn(() => open(subscriptionIds));
    },
    async handOver() {
      clearInterval(timer);
      await inTurn(() => store.handOver(worker));
    },
  };
};
