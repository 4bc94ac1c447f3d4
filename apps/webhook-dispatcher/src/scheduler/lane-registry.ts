import { LANE_LIFE_MS, type LaneRef, type LaneStore } from '@chairside/mongodb/dispatch';

/** How often open lanes are renewed and idle ones closed. */
export const RENEW_INTERVAL_MS = 10_000;
/** How long a lane is certainly open after its last renewal. Other processes treat it as dead after twice this time. */
const KNOWN_FOR_MS = LANE_LIFE_MS / 2;

/** The part of the database that the registry uses. */
export type OpenLanes = Pick<LaneStore, 'keepOpen' | 'close' | 'handOver'>;

/** Keeps the open lanes of this process in the database. If the process crashes, the sweep finds them there. */
export type LaneRegistry = {
  /** Resolves when the database knows that these lanes are open. */
  open(lanes: readonly LaneRef[]): Promise<void>;
  /** Hands the lanes over to other processes. */
  handOver(): Promise<void>;
};

/** @param closeIdle removes the idle lanes from memory and returns their subscriptions */
export const createLaneRegistry = (
  worker: string,
  store: OpenLanes,
  closeIdle: () => string[],
  onError: (error: unknown) => void,
): LaneRegistry => {
  /** The open lanes by subscription: the organization, and the last renewal on the monotonic clock. */
  const known = new Map<string, { organizationId: string; renewedAt: number }>();
  const isKnown = ({ subscriptionId }: LaneRef): boolean => {
    const { renewedAt = Number.NEGATIVE_INFINITY } = known.get(subscriptionId) ?? {};
    return performance.now() - renewedAt < KNOWN_FOR_MS;
  };
  const keepOpen = async (lanes: readonly LaneRef[]): Promise<void> => {
    const renewedAt = performance.now();
    await store.keepOpen(worker, lanes);
    for (const { subscriptionId, organizationId } of lanes)
      known.set(subscriptionId, { organizationId, renewedAt });
  };
  /**
   * The calls that open and close lanes run one after the other, so that an open lane is not closed in the database.
   */
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
    await keepOpen(
      [...known].map(([subscriptionId, { organizationId }]) => ({ subscriptionId, organizationId })),
    );
  };
  const timer = setInterval(() => inTurn(renew).catch(onError), RENEW_INTERVAL_MS);

  return {
    async open(lanes) {
      if (lanes.every(isKnown)) return;
      await inTurn(() => keepOpen(lanes.filter((lane) => !isKnown(lane))));
    },
    async handOver() {
      clearInterval(timer);
      known.clear();
      await inTurn(() => store.handOver(worker));
    },
  };
};
