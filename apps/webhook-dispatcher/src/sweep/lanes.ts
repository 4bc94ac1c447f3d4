import { type Dispatch, distinctLanes, type LaneRef, type LaneStore } from '@chairside/mongodb/dispatch';
import type { Scheduler } from '../scheduler/scheduler.ts';
import type { SweepPart } from './part.ts';

/** Maximum number of lanes that are opened together. */
const MAX_LANES = 500;

export type DeadLanesOptions = {
  lanes: Pick<LaneStore, 'dead' | 'remove'>;
  scheduler: Pick<Scheduler, 'open'>;
};

export type RequestedLanesOptions = {
  laneRequests: Pick<Dispatch['laneRequests'], 'due' | 'remove'>;
  scheduler: Pick<Scheduler, 'open'>;
};

/**
 * Opens lanes until none is left, and removes their documents afterwards, so that a crash between the two steps loses no
 * lane.
 */
const openFound = async <L extends LaneRef>(
  find: (limit: number) => Promise<readonly L[]>,
  remove: (found: readonly L[]) => Promise<void>,
  scheduler: Pick<Scheduler, 'open'>,
  mayContinue: () => boolean,
): Promise<number> => {
  for (let opened = 0; ; ) {
    const found = await find(MAX_LANES);
    opened += found.length;
    if (found.length > 0) {
      await scheduler.open(distinctLanes(found));
      await remove(found);
    }
    if (found.length < MAX_LANES || !mayContinue()) return opened;
  }
};

/** Opens the lanes of processes that crashed or handed their lanes over. */
export const deadLanes = ({ lanes, scheduler }: DeadLanesOptions): SweepPart => ({
  name: 'deadLanes',
  round: ({ now, mayContinue }) =>
    openFound((limit) => lanes.dead(now(), limit), lanes.remove, scheduler, mayContinue),
});

/** Opens lanes for single redeliveries and tests, which the api stores. */
export const requestedLanes = ({ laneRequests, scheduler }: RequestedLanesOptions): SweepPart => ({
  name: 'requestedLanes',
  round: ({ now, mayContinue }) =>
    openFound((limit) => laneRequests.due(now(), limit), laneRequests.remove, scheduler, mayContinue),
});
