import type { Dispatch, LaneStore } from '@chairside/mongodb/dispatch';
import type { Scheduler } from '../scheduler/scheduler.ts';
import type { SweepPart } from './part.ts';

/** Maximum number of lanes that one round of a part opens. */
const MAX_LANES = 500;

export type DeadLanesOptions = {
  lanes: Pick<LaneStore, 'dead' | 'remove'>;
  scheduler: Pick<Scheduler, 'open'>;
};

export type RequestedLanesOptions = {
  laneRequests: Pick<Dispatch['laneRequests'], 'due' | 'remove'>;
  scheduler: Pick<Scheduler, 'open'>;
};

/** Opens lanes, and removes their documents afterwards, so that a crash between the two steps loses no lane. */
const openFound = async <L extends { subscriptionId: string }>(
  found: readonly L[],
  scheduler: Pick<Scheduler, 'open'>,
  remove: (found: readonly L[]) => Promise<void>,
): Promise<number> => {
  if (found.length === 0) return 0;
  await scheduler.open([...new Set(found.map(({ subscriptionId }) => subscriptionId))]);
  await remove(found);
  return found.length;
};

/** Opens the lanes of processes that crashed or handed their lanes over. */
export const deadLanes = ({ lanes, scheduler }: DeadLanesOptions): SweepPart => ({
  name: 'deadLanes',
  round: async () => openFound(await lanes.dead(MAX_LANES), scheduler, lanes.remove),
});

/** Opens lanes for single redeliveries and tests, which the api stores. */
export const requestedLanes = ({ laneRequests, scheduler }: RequestedLanesOptions): SweepPart => ({
  name: 'requestedLanes',
  round: async () => openFound(await laneRequests.due(MAX_LANES), scheduler, laneRequests.remove),
});
