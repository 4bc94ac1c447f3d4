/** How long a host counts as reached, in milliseconds. */
export const REACHED_MS = 10 * 60_000;
/** Maximum number of origins that are remembered for an organization, and of organizations. */
const MAX_ORIGINS = 20;
const MAX_ORGANIZATIONS = 1000;

/**
 * The hosts that were reached in the last ten minutes. The number per organization is limited, so that an organization
 * with many hosts does not evict the hosts of others.
 */
export type ReachedHosts = {
  add(organizationId: string, origin: string): void;
  has(organizationId: string, origin: string): boolean;
  /**
   * The hosts to probe, in this order; within each group the most recently reached first:
   *
   * 1. origins without failures that were reached by an organization without failures
   * 2. other origins without failures
   * 3. origins with failures
   */
  candidates(count: number, failed: { organizations: Set<string>; origins: Set<string> }): string[];
};

export const createReachedHosts = (): ReachedHosts => {
  /**
   * Organizations and their origins with the time of the last connection, both in the order of use, the oldest first.
   */
  const reached = new Map<string, Map<string, number>>();

  const trim = (map: Map<string, unknown>, max: number): void => {
    for (const key of map.keys()) {
      if (map.size <= max) return;
      map.delete(key);
    }
  };

  return {
    add(organizationId, origin) {
      const origins = reached.get(organizationId) ?? new Map<string, number>();
      origins.delete(origin);
      origins.set(origin, performance.now());
      trim(origins, MAX_ORIGINS);
      reached.delete(organizationId);
      reached.set(organizationId, origins);
      trim(reached, MAX_ORGANIZATIONS);
    },

    has(organizationId, origin) {
      const at = reached.get(organizationId)?.get(origin);
      return at !== undefined && performance.now() - at < REACHED_MS;
    },

    candidates(count, { organizations, origins: failed }) {
      const now = performance.now();
      const rankOf = (organizationId: string, origin: string): number => {
        if (failed.has(origin)) return 2;
        return organizations.has(organizationId) ? 1 : 0;
      };
      const all = [...reached].flatMap(([organizationId, origins]) =>
        [...origins]
          .filter(([, at]) => now - at < REACHED_MS)
          .map(([origin, at]) => ({ origin, at, rank: rankOf(organizationId, origin) })),
      );
      const sorted = all.toSorted((one, other) => one.rank - other.rank || other.at - one.at);
      return [...new Set(sorted.map(({ origin }) => origin))].slice(0, count);
    },
  };
};
