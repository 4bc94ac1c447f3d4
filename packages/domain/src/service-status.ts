import { z } from 'zod';
import { timeOf } from './fields.ts';
import type { ResourceLimit } from './resource-limit.ts';

/**
 * What dispatchers do with deliveries: send them, hold them until an operator of the service releases them, or skip them
 * (`OUTBOUND`).
 */
export const outboundModes = ['send', 'hold', 'off'] as const;
export type OutboundMode = (typeof outboundModes)[number];

/** Maximum number of waiting records, and of waiting deliveries, that are counted. */
export const MAX_COUNTED_WAITING = 10_000;

/**
 * The number of records with unpublished events and of queued deliveries of one organization, the age of the oldest,
 * and whether an outage is declared.
 */
export const serviceStatusSchema = z
  .object({
    eventsWaiting: z.int().meta({
      description: `The number of records of the organization with events that have no deliveries yet, at most ${MAX_COUNTED_WAITING}.`,
      examples: [0],
    }),
    deliveriesWaiting: z.int().meta({
      description: `The number of queued deliveries of the organization, at most ${MAX_COUNTED_WAITING}.`,
      examples: [3],
    }),
    oldestAge: z.number().meta({
      description: 'The age of the oldest of these events and deliveries, in seconds. 0 if nothing waits.',
      examples: [1.5],
    }),
    complete: z.boolean().meta({
      description:
        'Whether everything that waits was counted. If not, more may wait, and the oldest may be older. This happens while very much waits in the organization or in the whole service.',
      examples: [true],
    }),
    outage: z.boolean().meta({
      description:
        'Whether a process of the service declares an outage of the service: it reaches no receiver. Deliveries then wait, and no subscription is disabled.',
      examples: [false],
    }),
    outbound: z.enum(outboundModes).meta({
      description:
        'What the service does with deliveries: `send`; `hold`: the operator of the service holds them, and they wait; `off`: they are skipped, because this is a copy for tests.',
      examples: ['send'],
    }),
    outageTime: timeOf('When the outage was declared. Absent without an outage.').optional(),
  })
  .meta({ id: 'ServiceStatus', description: 'The state of the service for the organization.' });
export type ServiceStatus = z.infer<typeof serviceStatusSchema>;

export const serviceStatusLimits: readonly ResourceLimit[] = [
  {
    id: 'counted_waiting',
    part: 'Reading',
    resource: 'Records with unpublished events, and queued deliveries, that `GET /api/servicestatus` counts',
    value: MAX_COUNTED_WAITING,
    unit: 'of each',
    beyond: 'counting stops, and `complete` is false',
  },
];
