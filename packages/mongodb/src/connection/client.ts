import type { DatabaseTimes, Tracer } from '@chairside/telemetry';
import { type Db, type Document, MongoClient, type MongoClientOptions } from 'mongodb';
import { ConnectionString } from 'mongodb-connection-string-url';
import { Database } from '../driver/database.ts';
import { traceCommands } from './command-spans.ts';

/** Called with the name of a command that was sent to the database, such as `find`, and with its document. */
export type CommandListener = (name: string, command: Document) => void;

/** Time limits of operations. */
export type Patience = {
  /**
   * How long an operation waits for a primary, for a connection to open (at most 10 s), or for a free connection,
   * before it fails. Default: 30 s, which is longer than the 2 to 12 s that a replica set takes to elect a primary.
   */
  waitMs?: number;
  /**
   * How long an operation may take. The database aborts the operation shortly before this time; at this time, the
   * connection is closed. Default: no limit.
   */
  operationMs?: number;
};

/** The default of `waitMs`. */
const LONGEST_WAIT_MS = 30_000;

/** Called once for each change. A replica set without a primary counts as unreachable. */
export type AvailabilityListener = { onUnavailable(): void; onAvailable(): void };

export type ClientOptions = {
  url: string;
  /** The name of this process in the logs of the database. */
  appName: string;
  /** Maximum number of operations in flight; further operations wait. */
  maxOperations?: number | undefined;
  /** The time limits. By default, an operation waits for a failover, and has no other time limit. */
  patience?: Patience | undefined;
  /** Called when the database becomes unreachable, and when it is reachable again. */
  availability?: AvailabilityListener | undefined;
  /** Called with every command that is sent, so that tests can count or explain commands. */
  onCommand?: CommandListener | undefined;
  /** Called with the times of commands and of waits for a connection, in milliseconds. */
  times?: DatabaseTimes | undefined;
  /** Records every command as part of the current span, with its name and collection. */
  tracer?: Tracer | undefined;
};

/**
 * Options of a connection string that are ignored. Conditional writes need the primary, acknowledged writes must not be
 * lost, and each process sets its own time limit for operations.
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

/** Maximum number of operations in flight in a process, unless the options or the URL set another number. */
export const MAX_OPERATIONS = 50;

/**
 * How often the driver looks for connections that have become invalid, in milliseconds. Each one is also checked when it
 * is used. The driver's own 100 ms wake an idle process ten times a second for each client and server.
 */
const POOL_CHECK_INTERVAL_MS = 5000;

/** Reports changes of availability. Nothing is reported before the first connection or after the client is closed. */
const watchAvailability = (
  client: MongoClient,
  { onUnavailable, onAvailable }: AvailabilityListener,
): void => {
  let wasHere: boolean | undefined;
  client.on('topologyDescriptionChanged', ({ newDescription: { servers } }) => {
    if (servers.size === 0) return;
    const isHere = [...servers.values()].some(({ isWritable }) => isWritable);
    if (isHere && wasHere === false) onAvailable();
    if (!isHere && wasHere === true) onUnavailable();
    if (isHere || wasHere === true) wasHere = isHere;
  });
};

const reportTimes = (client: MongoClient, { commandEnded, connectionTaken }: DatabaseTimes): void => {
  client.on('commandSucceeded', ({ commandName, duration }) => commandEnded(commandName, duration));
  client.on('commandFailed', ({ commandName, duration }) => commandEnded(commandName, duration));
  client.on('connectionCheckedOut', ({ durationMS }) => connectionTaken(durationMS));
};

/**
 * A client for this URL that is not connected yet, so that a process can start before its database. Writes are
 * acknowledged by a majority and journaled, and reads go to the primary. The URL may set other options, except those in
 * `NOT_FROM_URL`.
 *
 * @throws {MongoParseError} when the URL is not a MongoDB connection string
 */
export const createClient = ({
  url,
  appName,
  maxOperations = MAX_OPERATIONS,
  patience: { waitMs = LONGEST_WAIT_MS, operationMs } = {},
  availability,
  onCommand,
  times,
  tracer,
}: ClientOptions): MongoClient => {
  const given = new ConnectionString(url);
  for (const name of NOT_FROM_URL) given.searchParams.delete(name);
  const defaults: MongoClientOptions = {
    appName,
    serverSelectionTimeoutMS: waitMs,
    connectTimeoutMS: Math.min(waitMs, 10_000),
    waitQueueTimeoutMS: waitMs,
    maxPoolSize: Math.max(maxOperations, Number(given.searchParams.get('minPoolSize') ?? 0)),
  };
  const client = new MongoClient(given.href, {
    ...Object.fromEntries(Object.entries(defaults).filter(([name]) => !given.searchParams.has(name))),
    ignoreUndefined: true,
    // The option `timeoutMS` of the driver is not used, because it has no effect.
    ...(operationMs !== undefined && { socketTimeoutMS: operationMs }),
    w: 'majority',
    journal: true,
    monitorCommands: onCommand !== undefined || tracer !== undefined || times !== undefined,
  });
  // A pool with a minimum size opens one connection at each check. The driver takes this option from here alone.
  if (client.options.minPoolSize === 0) {
    Object.assign(client.options, { minPoolSizeCheckFrequencyMS: POOL_CHECK_INTERVAL_MS });
  }
  if (availability !== undefined) watchAvailability(client, availability);
  client.on('commandStarted', ({ commandName, command }) => onCommand?.(commandName, command));
  if (times !== undefined) reportTimes(client, times);
  if (tracer !== undefined) traceCommands(client, tracer);
  return client;
};

/**
 * The fraction of an operation's time limit after which the database aborts it, so that the connection remains usable.
 */
const SERVER_PART = 0.9;

/**
 * A database that aborts each operation shortly before its time limit, unless the operation sets `maxTimeMS` itself.
 */
export const withTimeLimit = (driver: Db, { operationMs }: Patience): Database => {
  if (operationMs === undefined) return new Database(driver);
  const maxTimeMS = Math.floor(operationMs * SERVER_PART);
  return new Database(driver, { optionsOf: () => ({ maxTimeMS }) });
};
