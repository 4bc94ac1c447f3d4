import type { Tracer } from '@chairside/runtime';
import { type Collection, type Db, type Document, MongoClient, type MongoClientOptions } from 'mongodb';
import { ConnectionString } from 'mongodb-connection-string-url';
import { traceCommands } from './command-spans.ts';

/** A command that was sent to the database, such as `find`, with its document. */
export type CommandListener = (name: string, command: Document) => void;

/** Time limits of operations. */
export type Patience = {
  /**
   * How long to look for a primary, to connect, or to wait for a free connection before an operation fails, in
   * milliseconds. Absent: 30 s, longer than a replica set takes to elect a primary, which is 2 to 12 s.
   */
  wait?: number;
  /**
   * How long an operation may take, in milliseconds: a little before its end the database ends it, and at its end the
   * connection is given up. Absent: as long as it likes.
   */
  operation?: number;
};

/** How long work waits that no caller waits for, in milliseconds. */
const LONGEST_WAIT = 30_000;

/** Called once for each change. A replica set without a primary is away. */
export type AvailabilityListener = { onAway(): void; onBack(): void };

export type ClientOptions = {
  url: string;
  /** Shown in the database's logs. */
  appName: string;
  /** The most operations under way at once; others wait for their turn. */
  maxOperations?: number | undefined;
  /** By default operations wait through a failover, and take as long as they like. */
  patience?: Patience | undefined;
  /** Told when the database is lost, and when it is found again. */
  availability?: AvailabilityListener | undefined;
  /** Told of every command that is sent, to count or to explain them. */
  onCommand?: CommandListener | undefined;
  /** Told of every command within a span, by its name and collection. */
  tracer?: Tracer | undefined;
};

/**
 * Options of a URL that have no effect: conditional writes need the primary, an acknowledged write must be kept, and each
 * process has its own time limit of an operation.
 */
const NOT_FROM_URL: readonly string[] = [
  'readPreference',
  'readPreferenceTags',
  'maxStalenessSeconds',
  'readConcernLevel',
  'w',
  'journal',
  'j',
  'fsync',
  'wtimeout',
  'wtimeoutMS',
  'timeoutMS',
  'socketTimeoutMS',
];

/** How many operations a process has under way in the database at once, unless it or the URL says another number. */
const MAX_OPERATIONS = 50;

/** What happens before the database is found for the first time, and when the client is closed, is no news. */
const watchAvailability = (client: MongoClient, { onAway, onBack }: AvailabilityListener): void => {
  let wasHere: boolean | undefined;
  client.on('topologyDescriptionChanged', ({ newDescription: { servers } }) => {
    if (servers.size === 0) return;
    const isHere = [...servers.values()].some(({ isWritable }) => isWritable);
    if (isHere && wasHere === false) onBack();
    if (!isHere && wasHere === true) onAway();
    if (isHere || wasHere === true) wasHere = isHere;
  });
};

/**
 * A client for this URL that is not connected yet, so that a process can start before its database. Writes are
 * acknowledged by a majority and journaled, reads go to the primary; of the rest, the URL has the last word.
 *
 * @throws {MongoParseError} when the URL is not one of MongoDB
 */
export const createClient = ({
  url,
  appName,
  maxOperations = MAX_OPERATIONS,
  patience: { wait = LONGEST_WAIT, operation } = {},
  availability,
  onCommand,
  tracer,
}: ClientOptions): MongoClient => {
  const given = new ConnectionString(url);
  for (const name of NOT_FROM_URL) given.searchParams.delete(name);
  const defaults: MongoClientOptions = {
    appName,
    serverSelectionTimeoutMS: wait,
    connectTimeoutMS: Math.min(wait, 10_000),
    waitQueueTimeoutMS: wait,
    maxPoolSize: Math.max(maxOperations, Number(given.searchParams.get('minPoolSize') ?? 0)),
  };
  const client = new MongoClient(given.href, {
    ...Object.fromEntries(Object.entries(defaults).filter(([name]) => !given.searchParams.has(name))),
    ignoreUndefined: true,
    // The driver's timeoutMS has no effect.
    ...(operation !== undefined && { socketTimeoutMS: operation }),
    w: 'majority',
    journal: true,
    monitorCommands: onCommand !== undefined || tracer !== undefined,
  });
  if (availability !== undefined) watchAvailability(client, availability);
  client.on('commandStarted', ({ commandName, command }) => onCommand?.(commandName, command));
  if (tracer !== undefined) traceCommands(client, tracer);
  return client;
};

/** Of the time that an operation may take, the part after which the database ends it, so that its connection stays. */
const SERVER_PART = 0.9;

/** The operations of a collection that we use, and which of their arguments are their options. */
const OPTIONS_AT = {
  aggregate: 1,
  bulkWrite: 1,
  countDocuments: 1,
  deleteMany: 1,
  deleteOne: 1,
  distinct: 2,
  find: 1,
  findOne: 1,
  findOneAndUpdate: 2,
  insertMany: 1,
  insertOne: 1,
  replaceOne: 2,
  updateMany: 2,
  updateOne: 2,
} as const satisfies Partial<Record<keyof Collection, number>>;

/** The same object, but for what `change` puts in the place of a property. */
const withChanged = <T extends object>(target: T, change: (name: string | symbol) => unknown): T =>
  new Proxy(target, {
    get(_target, name) {
      const changed = change(name);
      if (changed !== undefined) return changed;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

/**
 * A database in whose collections an operation is ended by the database (`maxTimeMS`) a little before its time is over,
 * unless it says itself how long it may take. Without a time limit, the database as it is.
 */
export const withTimeLimit = (database: Db, { operation }: Patience): Db => {
  if (operation === undefined) return database;
  const maxTimeMS = Math.floor(operation * SERVER_PART);
  const limited = (collection: Collection): Collection =>
    withChanged(collection, (name) => {
      if (!(name in OPTIONS_AT)) return undefined;
      const at = OPTIONS_AT[name as keyof typeof OPTIONS_AT];
      return (...given: unknown[]) => {
        given[at] = { maxTimeMS, ...(given[at] as object | undefined) };
        return Reflect.apply(Reflect.get(collection, name), collection, given);
      };
    });
  return withChanged(database, (name) =>
    name === 'collection' ? (called: string) => limited(database.collection(called)) : undefined,
  );
};
