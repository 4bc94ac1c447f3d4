import { clock } from '@chairside/domain';
import type { ReservedIds } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';
import { keyUseOf, newIds, requireUsable } from '../records/idempotency.ts';

/** How long after its last renewal a lease is renewed, in milliseconds. It lasts 30 s. */
const RENEW_AFTER_MS = 5000;

/** The lease of a batch on its `Idempotency-Key`. Disposing of it ends it: a repeated batch makes what is left. */
export type KeyLease = AsyncDisposable & {
  /** The ids from which those of the rows are made. */
  ids: ReservedIds;
  /** Whether an earlier batch with the key may have written some of the rows. */
  mayHaveWritten: boolean;
  /** Call this before the first write. Until then, the key can be used for another body. */
  begin(): void;
  /** Renews the lease if it is time. @returns whether another caller has taken it over */
  hasEnded(): Promise<boolean>;
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
  if (reservation.outcome === 'done') throw new Error('the key of a batch is never done');
  const { ids, outcome } = reservation;
  let lease: Date | undefined = reservation.lease;
  let renewed = performance.now();
  let mayBeStored = outcome === 'taken_over';
  return {
    ids,
    mayHaveWritten: outcome === 'taken_over',
    begin() {
      mayBeStored = true;
    },
    async hasEnded() {
      if (lease === undefined || performance.now() - renewed < RENEW_AFTER_MS) return lease === undefined;
      lease = await keys.renew(use, lease, clock.now());
      renewed = performance.now();
      return lease === undefined;
    },
    async [Symbol.asyncDispose]() {
      if (lease === undefined) return;
      const end = mayBeStored ? keys.endLease(use, lease, clock.now()) : keys.release(use, lease);
      await end.catch((error: unknown) => request.log.warn({ err: error }, 'idempotency key not released'));
    },
  };
};
