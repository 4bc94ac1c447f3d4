import { Counter, Gauge, type Registry } from 'prom-client';

/** The metrics of what is stored encrypted. */
export type EncryptionMetrics = {
  /** A stored value does not open. */
  unreadable(collection: string): void;
  /** The data keys of an organization are missing or cannot be decrypted. */
  keysUnusable(): void;
};

/**
 * @param collections the collections with encrypted values. Their counts exist from the start, so that Prometheus sees the
 *   first value that cannot be decrypted as an increase
 * @param usedShare the share of the limit of uses that the most used data key has reached, from 0 to 1
 */
export const createEncryptionMetrics = (
  registers: Registry[],
  collections: readonly string[],
  usedShare: () => number,
): EncryptionMetrics => {
  const unreadable = new Counter({
    name: 'chairside_unreadable_values_total',
    help: 'Reads of a stored value that cannot be decrypted, by collection',
    labelNames: ['collection'],
    registers,
  });
  const unusableKeys = new Counter({
    name: 'chairside_unusable_data_keys_total',
    help: 'Reads of the data keys of an organization that are missing or cannot be decrypted',
    registers,
  });
  for (const collection of collections) unreadable.inc({ collection }, 0);
  new Gauge({
    name: 'chairside_data_key_used_ratio',
    help: 'The part of its 2^32 uses that the most used data key of an organization has reached, as far as this process knows',
    registers,
    collect() {
      this.set(usedShare());
    },
  });
  return {
    unreadable: (collection) => unreadable.inc({ collection }),
    keysUnusable: () => unusableKeys.inc(),
  };
};
