import { clock } from '@chairside/domain';
import type { Redeliveries } from '@chairside/mongodb/dispatch';
import type { Scheduler } from '../scheduler/scheduler.ts';
import type { SweepPart } from './part.ts';

/** Maximum number of redeliveries that are advanced in turn. */
const MAX_REDELIVERIES = 20;
/** How long a redelivery rests after one of its steps failed. */
const REST_MS = 30_000;

type Redelivery = Parameters<Redeliveries['advance']>[0];

export type BulkRedeliveriesOptions = {
  redeliveries: Redeliveries;
  scheduler: Pick<Scheduler, 'open'>;
  onError(error: unknown): void;
};

/**
 * Advances the bulk redeliveries that administrators requested. They take turns after each step, so that a short bulk
 * redelivery does not wait until a long one has ended.
 */
export const bulkRedeliveries = (options: BulkRedeliveriesOptions): SweepPart => {
  const { redeliveries, scheduler, onError } = options;
  /** Redeliveries whose step failed, with the end of their rest on the monotonic clock. */
  const resting = new Map<string, number>();

  const advance = async (redelivery: Redelivery): Promise<void> => {
    // The lane is opened before the step. If the process crashes right after the step, another process finds the dead
    // lane.
    await scheduler.open([redelivery]);
    await redeliveries.advance(redelivery, clock.now());
    await scheduler.open([redelivery]);
  };

  /** @returns the errors of the redeliveries that could not be advanced. These redeliveries rest. */
  const advanceAll = async (due: readonly Redelivery[]): Promise<unknown[]> => {
    const failures: unknown[] = [];
    for (const redelivery of due) {
      try {
        await advance(redelivery);
      } catch (error) {
        onError(error);
        failures.push(error);
        resting.set(redelivery._id, performance.now() + REST_MS);
      }
    }
    return failures;
  };

  return {
    name: 'redeliveries',
    async round({ mayContinue }) {
      for (const [id, until] of resting) if (until < performance.now()) resting.delete(id);
      do {
        const running = await redeliveries.running(MAX_REDELIVERIES + resting.size);
        const due = running.filter(({ _id }) => !resting.has(_id));
        if (due.length === 0) break;
        const failures = await advanceAll(due);
        // If no redelivery could be advanced, the round does not count as finished, so the age of this part grows.
        if (failures.length === due.length) throw failures[0];
      } while (mayContinue());
      return undefined;
    },
  };
};
