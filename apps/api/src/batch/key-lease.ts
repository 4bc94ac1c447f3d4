import { clock, ServiceError } from '@chairside/domain';
import type { BatchNotes, ReservedIds } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';
import { keyUseOf, newIds, requireUsable } from '../records/idempotency.ts';

/** The lease of a batch on its `Idempotency-Key`. Disposing of it ends it: a repeated batch makes what is left. */
export type KeyLease = AsyncDisposable & {
  /** The ids from which those of the rows are made. */
  ids: ReservedIds;
  /** What earlier batches with the key have noted; undefined if this is the first one. */
  notes: BatchNotes | undefined;
  /**
   * Renews the lease, and stores notes. From the first call on, the key cannot be used for another body.
   *
   * @returns whether another caller has taken the lease over
   */
  note(notes: BatchNotes): Promise<boolean>;
};

/**
 * Reserves the key of a batch.
 *
 * @param text the same for the same writes
 * @returns undefined if the request has no key
 * @throws {Refusal} Conflict if the key was used with other writes, or while the first batch is in flight
 */
export const leaseOf = async (request: FastifyRequest, text: string): Promise<KeyLease | undefined> => {
  const use = keyUseOf(request);
  if (use === undefined) return undefined;
  const { idempotency: keys } = request.store;
  const reservation = requireUsable(await keys.reserve(use, text, newIds(), clock.now()));
  // A batch never ends its key for good: a repeated one tries again what was refused.
  if (reservation.outcome === 'done') throw new ServiceError('the key of a batch is never done');
  let lease: Date | undefined = reservation.lease;
  let mayBeStored = reservation.outcome === 'taken_over';
  return {
    ids: reservation.ids,
    notes: reservation.outcome === 'taken_over' ? reservation.notes : undefined,
    async note(notes) {
      mayBeStored = true;
      if (lease !== undefined) lease = await keys.renew(use, lease, clock.now(), notes);
      return lease === undefined;
    },
    async [Symbol.asyncDispose]() {
      if (lease === undefined) return;
      const end = mayBeStored ? keys.endLease(use, lease, clock.now()) : keys.release(use, lease);
      await end.catch((error: unknown) => request.log.warn({ err: error }, 'idempotency key not released'));
    },
  };
};
