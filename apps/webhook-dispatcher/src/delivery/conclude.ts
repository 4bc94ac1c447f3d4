import { type ClaimedDelivery, distinctLanes, type LaneRef, type Outcome } from '@chairside/mongodb/dispatch';
import { type OutageWatch, reachedHost } from '../outage/outage-watch.ts';
import type { Ended, Outcomes } from './outcomes.ts';
import type { FoundReceiver } from './receiver-cache.ts';

/** A delivery and its outcome, for the log, the metrics and the traces. */
export type DeliveryReport = { delivery: ClaimedDelivery; outcome: Outcome };

export type ConcludeOptions = {
  outcomes: Outcomes;
  outage: Pick<OutageWatch<Ended>, 'note'>;
  onReport(report: DeliveryReport): void;
};

/**
 * Stores the outcome of a delivery. A delivery that failed in an outage of this service is requeued instead. When the
 * outage is detected, the deliveries that failed earlier in this outage are requeued too.
 *
 * @returns the lanes of the requeued deliveries
 */
export type Conclude = (ended: Ended, receiver: FoundReceiver) => Promise<readonly LaneRef[]>;

/** Requeues deliveries that failed in an outage of this service and whose outcomes may be stored. */
export const requeueAll = async (
  unsent: readonly Ended[],
  outcomes: Pick<Outcomes, 'requeueEnded'>,
): Promise<readonly LaneRef[]> => {
  await Promise.all(unsent.map(outcomes.requeueEnded));
  return distinctLanes(unsent.map(({ delivery }) => delivery));
};

/**
 * Whether an outcome is evidence for or against an outage. A skipped delivery is no evidence. A failure with the cause
 * `blocked_address` or `configuration` is no evidence either.
 */
const isTelling = (outcome: Outcome): boolean =>
  outcome.outcome === 'succeeded' ||
  (outcome.outcome === 'failed' && !['blocked_address', 'configuration'].includes(outcome.cause));

export const createConclude = ({ outcomes, outage, onReport }: ConcludeOptions): Conclude => {
  /**
   * Returns the deliveries that failed in an outage of this service and were not sent. The list is empty if this
   * delivery is not among them.
   */
  const failedByOutage = async (ended: Ended, receiver: FoundReceiver): Promise<readonly Ended[]> => {
    const { delivery, outcome } = ended;
    if (receiver === undefined || !('url' in receiver) || outcome.outcome === 'skipped') return [];
    if (!isTelling(outcome)) return [];
    const failed = await outage.note(ended, {
      origin: new URL(receiver.url).origin,
      organizationId: delivery.organizationId,
      subscriptionId: delivery.subscriptionId,
      isEvent: delivery.kind === 'event',
      reached: reachedHost(outcome),
      failures: receiver.consecutiveFailures,
    });
    return failed.includes(ended) ? failed : [];
  };

  return async (ended, receiver) => {
    const unsent = await failedByOutage(ended, receiver);
    if (unsent.length === 0) {
      await outcomes.finish(ended);
      onReport(ended);
      return [];
    }
    const [requeued] = await Promise.all([
      requeueAll(
        unsent.filter((each) => each !== ended),
        outcomes,
      ),
      outcomes.requeue(ended.delivery, ended.permit),
    ]);
    return distinctLanes([...requeued, ended.delivery]);
  };
};
