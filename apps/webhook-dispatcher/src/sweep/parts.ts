import { type AbandonedDraftsOptions, abandonedDrafts } from './abandoned-drafts.ts';
import { type BulkRedeliveriesOptions, bulkRedeliveries } from './bulk-redeliveries.ts';
import { type EndedTokensOptions, endedTokens } from './ended-tokens.ts';
import { type ExpiredEventsOptions, expiredEvents } from './expired-events.ts';
import { type InterruptedDeliveriesOptions, interruptedDeliveries } from './interrupted-deliveries.ts';
import { type DeadLanesOptions, deadLanes, type RequestedLanesOptions, requestedLanes } from './lanes.ts';
import type { SweepPart } from './part.ts';
import { type StatisticsOptions, statistics } from './statistics.ts';
import { type UnpublishedEventsOptions, unpublishedEvents } from './unpublished-events.ts';

export type SweepPartsOptions = UnpublishedEventsOptions &
  DeadLanesOptions &
  RequestedLanesOptions &
  InterruptedDeliveriesOptions &
  ExpiredEventsOptions &
  BulkRedeliveriesOptions &
  StatisticsOptions &
  EndedTokensOptions &
  AbandonedDraftsOptions;

/** All parts of the sweep. */
export const sweepParts = (options: SweepPartsOptions): SweepPart[] => [
  unpublishedEvents(options),
  deadLanes(options),
  requestedLanes(options),
  interruptedDeliveries(options),
  expiredEvents(options),
  bulkRedeliveries(options),
  statistics(options),
  endedTokens(options),
  abandonedDrafts(options),
];
