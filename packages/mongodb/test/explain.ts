import type { Db, Document } from 'mongodb';

type Plan = Record<string, unknown>;

/** The parts of a response that do not describe the chosen plan. */
const IGNORED = new Set(['command', 'rejectedPlans', 'serverInfo', 'IndexCosts']);

const children = (plan: Plan): Plan[] =>
  Object.entries(plan)
    .filter(([name]) => !IGNORED.has(name))
    .flatMap(([, value]) => value)
    .filter((value): value is Plan => typeof value === 'object' && value !== null);

const walk = (plan: Plan): Plan[] => [plan, ...children(plan).flatMap(walk)];

const SCANS_ALL = /^(COLLSCAN|Seq Scan|Parallel Seq Scan)$/;

/**
 * Whether a `find` or an `aggregate` has a limit, but no order, no hint and no ids: then the PostgreSQL below FerretDB may
 * read documents of the whole collection until it has found enough. A count in one organization reads an index that
 * begins with its id.
 */
export const mayReadAll = (command: Document): boolean => {
  const { hint, filter, limit, sort } = command;
  const stages: Document[] = command.pipeline ?? [{ $match: filter }, { $limit: limit }, { $sort: sort }];
  const stage = (name: string) => stages.find((each) => each[name] !== undefined)?.[name];
  const { _id, organizationId } = stage('$match') ?? {};
  const isNarrow =
    typeof _id === 'string' || _id?.$in !== undefined || (!filter && organizationId !== undefined);
  return stage('$limit') !== undefined && stage('$sort') === undefined && hint === undefined && !isNarrow;
};

/** What the tests check in a plan of MongoDB, or of the PostgreSQL below FerretDB. `plan` is the whole plan. */
export type Explained = {
  indexes: string[];
  scansAll: boolean;
  /**
   * Whether MongoDB reads documents in addition to index entries. Always false on FerretDB, whose plans do not report
   * it.
   */
  readsDocuments: boolean;
  /** The number of rows that PostgreSQL expects; undefined for MongoDB. */
  expectedRows: unknown;
  plan: unknown;
};

/** Asks the database how it would execute a `find` or an `aggregate` that the store has sent. */
export const explain = async (database: Db, command: Document): Promise<Explained> => {
  const { lsid, $db, $clusterTime, readConcern, ...own } = command;
  const plan = await database.command({ explain: own, verbosity: 'queryPlanner' });
  const nodes = walk(plan);
  return {
    indexes: nodes
      .flatMap((node) => [node.indexName, node['Index Name']])
      .filter((name) => typeof name === 'string'),
    scansAll: nodes.some((node) => SCANS_ALL.test(String(node.stage ?? node['Node Type']))),
    readsDocuments: nodes.some(({ stage }) => stage === 'FETCH'),
    expectedRows: nodes.find((node) => 'Plan Rows' in node)?.['Plan Rows'],
    plan,
  };
};
