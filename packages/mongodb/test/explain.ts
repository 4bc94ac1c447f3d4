import type { Db, Document } from 'mongodb';

type Plan = Record<string, unknown>;

const children = (plan: Plan): Plan[] =>
  Object.values(plan).flatMap((value) => {
    if (Array.isArray(value))
      return value.filter((each): each is Plan => typeof each === 'object' && each !== null);
    return typeof value === 'object' && value !== null ? [value as Plan] : [];
  });

const walk = (plan: Plan): Plan[] => [plan, ...children(plan).flatMap(walk)];

const SCANS_ALL = /^(COLLSCAN|Seq Scan|Parallel Seq Scan)$/;

/** What a plan does, from MongoDB (`stage`) or from the PostgreSQL below FerretDB (`Node Type`). */
export type Explained = { indexes: string[]; scansAll: boolean; plan: unknown };

/** Asks the database how it would run a find. */
export const explain = async (
  database: Db,
  { find, filter, sort, projection, limit }: Document,
): Promise<Explained> => {
  const answer = await database.command({
    explain: {
      find,
      filter,
      ...(sort && { sort }),
      ...(projection && { projection }),
      ...(limit && { limit }),
    },
    verbosity: 'queryPlanner',
  });
  const planner = answer.queryPlanner ?? answer;
  const plan = planner.winningPlan ?? planner.Plan ?? planner;
  const nodes = walk(plan);
  return {
    indexes: nodes
      .flatMap((node) => [node.indexName, node['Index Name']])
      .filter((name) => typeof name === 'string'),
    scansAll: nodes.some((node) => SCANS_ALL.test(String(node.stage ?? node['Node Type']))),
    plan,
  };
};
