import type { EveryOrganization, LaneStore } from '@chairside/mongodb';
import type { Scheduler } from '../scheduler/scheduler.ts';
import type { SweepPart } from './part.ts';

/** The most lanes of each part that one round opens. */
const MAX_LANES = 500;

export type DeadLanesOptions = {
  lanes: Pick<LaneStore, 'dead' | 'remove'>;
  scheduler: Pick<Scheduler, 'open'>;
};

export type RequestedLanesOptions = {
  laneRequests: Pick<EveryOrganization['laneRequests'], 'due' | 'remove'>;
  scheduler: Pick<Scheduler, 'open'>;
};

const subscriptionsOf = (found: readonly { subscriptionId: string }[]): string[] => [
  ...new Set(found.map(({ subscriptionId }) => subscriptionId)),
];

/** Opens the lanes of processes that crashed or handed their lanes over. */
export const deadLanes = ({ lanes, scheduler }: DeadLanesOptions): SweepPart => ({
  name: 'deadLanes',
  async round() {
    const dead = await lanes.dead(MAX_LANES);
    if (dead.length === 0) return 0;
    await scheduler.open(subscriptionsOf(dead));
    await lanes.remove(dead);
    return dead.length;
  },
});

/** Opens lanes for redeliveries and tests, which are stored outside of the dispatcher. */
export const requestedLanes = ({ laneRequests, scheduler }: RequestedLanesOptions): SweepPart => ({
  name: 'requestedLanes',
  async round() {
    const requests = await laneRequests.due(MAX_LANES);
    if (requests.length === 0) return 0;
    await scheduler.open(subscriptionsOf(requests));
    await laneRequests.remove(requests);
    return requests.length;
  },
});
