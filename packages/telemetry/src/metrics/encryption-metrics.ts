import { Counter, Gauge, type Registry } from 'prom-client';

/** The metrics of what is stored encrypted. */
export type EncryptionMetrics = {
  /** A stored value does not open. */
  unreadable(collection: string): void;
};

/** @param usedShare the share of the limit of uses that the most used data key has reached, from 0 to 1 */
export const createEncryptionMetrics = (
  registers: Registry[],
  usedShare: () => number,
): EncryptionMetrics => {
  const unreadable = new Counter({
    name: 'chairside_unreadable_values_total',
    help: 'Reads of a stored value that cannot be decrypted, by collection',
    labelNames: ['collection'],
    registers,
  });
  new Gauge({
    name: 'chairside_data_key_used_ratio',
    help: 'The part of its 2^32 uses that the most used data key of an organization has reached, as far as this process knows',
    registers,
    collect() {
      this.set(usedShare());
    },
  });
  return { unreadable: (collection) => unreadable.inc({ collection }) };
};
