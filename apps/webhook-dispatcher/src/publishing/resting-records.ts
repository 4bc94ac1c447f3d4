import { ServiceError } from '@chairside/domain';
import type { OutboxRef } from '@chairside/mongodb/dispatch';
import { LRUCache } from 'lru-cache';

/** How long the sweep ignores a record after its events could not be published. */
const REST_MS = 30_000;
/** Maximum number of records that the sweep ignores for that reason. */
const MAX_RESTING = 1000;

/** Records whose events could not be published a moment ago. The sweep ignores them for a while. */
export type RestingRecords = {
  /**
   * Reports that the events of a record cannot be published. The sweep ignores the record from now on for `REST_MS`.
   */
  add(ref: OutboxRef, cause: unknown): void;
  ids(): string[];
};

export const createRestingRecords = (onError: (error: unknown) => void): RestingRecords => {
  const resting = new LRUCache<string, true>({ max: MAX_RESTING, ttl: REST_MS });
  return {
    add({ kind, recordId }, cause) {
      onError(new ServiceError(`the events of ${kind} ${recordId} cannot be published`, { cause }));
      resting.set(recordId, true);
    },
    ids: () => [...resting.keys()],
  };
};
