import { clock } from '@chairside/domain';

/** What somebody has used. The api counts the first three, dispatchers count attempts. */
export type Used = {
  requests: number;
  /** Requests that change something. */
  writes: number;
  /** Milliseconds that the process has computed for requests. */
  computedMs: number;
  attempts: number;
};

/** What one user of an organization has used: an API key, an operator, … or a subscription. */
export type UsageRow = { organizationId: string; user: string } & Used;
/** What a process was used for since it last told. */
export type Usage = { since: Date; until: Date; rows: UsageRow[] };

/** How many users a process tells of: those who have used most. */
const MAX_ROWS = 50;
/** How many users it counts at most in the seconds between. Others count as `others` of no organization. */
const MAX_COUNTED = 5000;

const costOf = ({ requests, computedMs, attempts }: Used): number => requests + attempts + computedMs;

/** Counts what a process is used for, for `chairside-admin top`. Ids of organizations would be too many labels of metrics. */
export type UsageCount = {
  /** @param user what is used, such as `apiKey 01J…` */
  add(organizationId: string, user: string, used: Partial<Used>): void;
  /** What was counted since the last call. */
  take(): Usage;
};

export const createUsageCount = (): UsageCount => {
  let rows = new Map<string, UsageRow>();
  let since = clock.now();
  const rowOf = (organizationId: string, user: string): UsageRow => {
    const name = `${organizationId} ${user}`;
    const found = rows.get(name);
    if (found !== undefined) return found;
    if (rows.size >= MAX_COUNTED && organizationId !== '') return rowOf('', 'others');
    const row = { organizationId, user, requests: 0, writes: 0, computedMs: 0, attempts: 0 };
    rows.set(name, row);
    return row;
  };
  return {
    add(organizationId, user, { requests = 0, writes = 0, computedMs = 0, attempts = 0 }) {
      const row = rowOf(organizationId, user);
      row.requests += requests;
      row.writes += writes;
      row.computedMs += computedMs;
      row.attempts += attempts;
    },
    take() {
      const until = clock.now();
      const most = [...rows.values()].sort((one, other) => costOf(other) - costOf(one)).slice(0, MAX_ROWS);
      const usage = { since, until, rows: most };
      rows = new Map();
      since = until;
      return usage;
    },
  };
};
