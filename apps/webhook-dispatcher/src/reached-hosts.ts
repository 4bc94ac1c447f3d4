/** How long a host counts as reached, in milliseconds. */
const LIFE = 10 * 60_000;
/** The most origins that are remembered of an organization, and the most organizations. */
const MAX_ORIGINS = 20;
const MAX_ORGANIZATIONS = 1000;

/**
 * The hosts that were reached in the last ten minutes. Each organization has so many at most, so that none pushes those
 * of others out.
 */
export type ReachedHosts = {
  add(organizationId: string, origin: string): void;
  has(organizationId: string, origin: string): boolean;
  /**
   * Hosts to probe: first those of other organizations than the given ones, then other origins, then the rest; of each
   * those that were reached last.
   */
  candidates(count: number, failed: { organizations: Set<string>; origins: Set<string> }): string[];
};

export const createReachedHosts = (): ReachedHosts => {
  /** When each was reached, the least recent first; likewise the organizations. */
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
      return at !== undefined && performance.now() - at < LIFE;
    },

    candidates(count, { organizations, origins: failed }) {
      const now = performance.now();
      const rankOf = (organizationId: string, origin: string): number => {
        if (failed.has(origin)) return 2;
        return organizations.has(organizationId) ? 1 : 0;
      };
      const all = [...reached].flatMap(([organizationId, origins]) =>
        [...origins]
          .filter(([, at]) => now - at < LIFE)
          .map(([origin, at]) => ({ origin, at, rank: rankOf(organizationId, origin) })),
      );
      const sorted = all.toSorted((one, other) => one.rank - other.rank || other.at - one.at);
      return [...new Set(sorted.map(({ origin }) => origin))].slice(0, count);
    },
  };
};
