import type { Document } from 'mongodb';

/** A command that was sent to a database, with its name. */
export type SentCommand = { name: string; command: Document };

/** The actions of MongoDB that each command needs. */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  find: ['find'],
  aggregate: ['find'],
  count: ['find'],
  distinct: ['find'],
  insert: ['insert'],
  delete: ['remove'],
  update: ['update'],
  findAndModify: ['update', 'find'],
  create: ['createCollection'],
  createIndexes: ['createIndex'],
  dropIndexes: ['dropIndex'],
  drop: ['dropCollection'],
  listIndexes: ['listIndexes'],
};
/** Commands that every user may send. With the options of the stores, listing views needs no more than reading them. */
const FREE = [
  'hello',
  'ping',
  'buildInfo',
  'endSessions',
  'getMore',
  'killCursors',
  'listCollections',
  'connectionStatus',
];

const isUpsert = ({ upsert, updates = [] }: Document): boolean =>
  [upsert, ...updates.map((each: Document) => each.upsert)].includes(true);

/**
 * What a database user needs for these commands: the actions by collection, in the form of `DatabaseRole`, with all names
 * sorted.
 *
 * @param views the names of views by the collections that are read instead of them on a database without views
 */
export const neededRole = (
  sent: readonly SentCommand[],
  views: Readonly<Record<string, string>> = {},
): Record<string, string[]> => {
  const needed: Record<string, Set<string>> = {};
  for (const { name, command } of sent) {
    if (FREE.includes(name)) continue;
    const collection = views[command[name]] ?? String(command[name]);
    needed[collection] ??= new Set();
    // A command that is not in the table appears as an action that no role has.
    for (const action of ACTIONS[name] ?? [name]) needed[collection].add(action);
    if (isUpsert(command)) needed[collection].add('insert');
  }
  return sorted(Object.fromEntries(Object.entries(needed).map(([name, actions]) => [name, [...actions]])));
};

/** The same role, with all names sorted. */
export const sorted = (role: Readonly<Record<string, readonly string[]>>): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(role)
      .map(([name, actions]) => [name, actions.toSorted()] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
