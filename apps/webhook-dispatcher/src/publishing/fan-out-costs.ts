import { MAX_SUBSCRIPTIONS_PER_CLINIC } from '@chairside/domain';
import { LRUCache } from 'lru-cache';

/** Maximum number of organizations that are remembered. */
const MAX_ORGANIZATIONS = 10_000;
/** The cost that remains after each group, if its events led to fewer deliveries. */
const REMAINING = 0.9;

type OfOrganization = { organizationId: string };

/** How many deliveries an event of each organization leads to, learned from the last groups. */
export type FanOutCosts = {
  learn(events: readonly OfOrganization[], deliveries: readonly OfOrganization[]): void;
  /**
   * The expected number of deliveries of one event, at least 1. An organization that is not known counts as if it used
   * all subscriptions of a clinic.
   */
  of(organizationId: string): number;
};

const countsOf = (items: readonly OfOrganization[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const { organizationId } of items) counts.set(organizationId, (counts.get(organizationId) ?? 0) + 1);
  return counts;
};

export const createFanOutCosts = (): FanOutCosts => {
  const costs = new LRUCache<string, number>({ max: MAX_ORGANIZATIONS });
  return {
    learn(events, deliveries) {
      const created = countsOf(deliveries);
      for (const [organizationId, count] of countsOf(events)) {
        // The cost falls slowly, so that cheap events do not make room for a group of expensive ones.
        const earlier = (costs.get(organizationId) ?? 0) * REMAINING;
        costs.set(organizationId, Math.max(1, (created.get(organizationId) ?? 0) / count, earlier));
      }
    },
    of: (organizationId) => costs.get(organizationId) ?? MAX_SUBSCRIPTIONS_PER_CLINIC,
  };
};
