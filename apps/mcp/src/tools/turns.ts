import { beyondFullQueue, createFairQueue, type FairQueue } from '@chairside/concurrency';
import type { ResourceLimit } from '@chairside/domain';

/** Maximum number of appointments that one call reads. A clinic with 1,000 a day has 92,000 in the longest range. */
export const MAX_COUNTED = 300_000;
/** How many calls of tools run at the same time. */
const MAX_CALLS = 4;
/** Maximum number of calls of one organization: half of `MAX_CALLS`, so that one organization cannot take all turns. */
const MAX_CALLS_OF_ORGANIZATION = 2;
const MAX_WAITING = 200;

const part = 'Connected apps';
export const toolLimits: readonly ResourceLimit[] = [
  {
    id: 'tool_counted',
    part,
    resource: 'Appointments that `count_appointments` counts',
    value: MAX_COUNTED,
    unit: 'appointments',
    beyond: 'the tool refuses, and says to ask for fewer days',
  },
  {
    id: 'tool_calls',
    part,
    resource: 'Calls of tools that run',
    value: MAX_CALLS,
    unit: 'at once in each process',
    beyond: 'the call waits; organizations take turns',
  },
  {
    id: 'tool_calls_of_organization',
    part,
    resource: 'Calls of tools that run for one organization',
    value: MAX_CALLS_OF_ORGANIZATION,
    unit: 'at once in each process',
    beyond: 'the call waits; organizations take turns',
  },
  {
    id: 'tool_calls_waiting',
    part,
    resource: 'Calls of tools that wait for their turn',
    value: MAX_WAITING,
    unit: 'in each process',
    beyond: beyondFullQueue('an organization'),
  },
];

/** Runs calls of tools in turns between organizations. */
export const createTurns = (): FairQueue =>
  createFairQueue({
    atOnce: MAX_CALLS,
    atOnceOfCaller: MAX_CALLS_OF_ORGANIZATION,
    maxWaiting: MAX_WAITING,
  });
