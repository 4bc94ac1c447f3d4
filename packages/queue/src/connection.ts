import { parseRedisUrl, trusting } from '@chairside/runtime';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { SentinelMasterConnector, StandaloneConnector } from './connectors.ts';

/** How long a command of the api may take before Redis counts as away, in milliseconds. */
const PRODUCER_COMMAND_TIMEOUT = 500;

/** How long a look at a limit may take before a process counts for itself, in milliseconds. */
const LIMITER_COMMAND_TIMEOUT = 100;

/** How long Redis may take to tell of itself, in milliseconds. */
const INSPECTOR_COMMAND_TIMEOUT = 2000;

/** How long a sentinel may take to say where the master is before another is asked, in milliseconds. */
const SENTINEL_COMMAND_TIMEOUT = 1000;

/** How often a connection looks who has which part of a cluster, in milliseconds: unused it learns of no change. */
const SLOTS_REFRESH_INTERVAL = 5000;

/** Which Redis, and whom it may be signed by. */
export type RedisServer = {
  /** As `parseRedisUrl` of domain reads it: a server, a master that sentinels know, or a cluster; with TLS or without. */
  url: string;
  /** In PEM: trusted besides the public certification authorities. */
  certificates?: readonly string[] | undefined;
};

export type Connection = Redis | Cluster;

/** What tells the three kinds of connection apart. */
type Patience = Pick<RedisOptions, 'commandTimeout' | 'enableOfflineQueue' | 'maxRetriesPerRequest'>;

/** Redis may be away at start and come back at any time. */
const retryDelay = (tries: number): number => Math.min(tries * 50, 1000);

/** @throws {Error} when the address cannot be read */
const connect = ({ url, certificates = [] }: RedisServer, patience: Patience): Connection => {
  const { username, password, tls: isEncrypted, ...address } = parseRedisUrl(url);
  const tls = certificates.length > 0 ? { secureContext: trusting(certificates) } : {};
  const access = {
    ...patience,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(isEncrypted && { tls }),
  };
  switch (address.kind) {
    case 'single':
      return new Redis({
        ...access,
        ...address.server,
        Connector: StandaloneConnector,
        db: address.database,
        retryStrategy: retryDelay,
      });
    case 'sentinel':
      return new Redis({
        ...access,
        Connector: SentinelMasterConnector,
        sentinels: address.sentinels,
        name: address.master,
        db: address.database,
        sentinelCommandTimeout: SENTINEL_COMMAND_TIMEOUT,
        ...(address.sentinelUsername !== undefined && { sentinelUsername: address.sentinelUsername }),
        ...(address.sentinelPassword !== undefined && { sentinelPassword: address.sentinelPassword }),
        ...(isEncrypted && { enableTLSForSentinelMode: true, sentinelTLS: tls }),
        retryStrategy: retryDelay,
        sentinelRetryStrategy: retryDelay,
        // A master that was made a replica in order refuses writes: ask for the new one, then send them again.
        reconnectOnError: ({ message }) => (message.startsWith('READONLY') ? 2 : false),
      });
    case 'cluster':
      return new Cluster(address.nodes, {
        redisOptions: { ...access, Connector: StandaloneConnector },
        clusterRetryStrategy: retryDelay,
        slotsRefreshInterval: SLOTS_REFRESH_INTERVAL,
        // A pipeline is given no time limit here: who does not wait for Redis must not try again behind the caller's back.
        ...(patience.enableOfflineQueue === false && {
          enableOfflineQueue: false,
          retryDelayOnFailover: 0,
          retryDelayOnClusterDown: 0,
          // It would have to connect within the time limit of a command, or begin anew for ever.
          enableReadyCheck: false,
        }),
        // A certificate is for a name: it must not be lost to the address that it stands for.
        ...(isEncrypted && { dnsLookup: (host, callback) => callback(null, host) }),
      });
  }
};

/** Fails fast: an answer to a caller never waits for Redis. */
export const connectProducer = (server: RedisServer): Connection =>
  connect(server, {
    commandTimeout: PRODUCER_COMMAND_TIMEOUT,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
  });

/** Fails faster still: every answer waits for the limiter. */
export const connectLimiter = (server: RedisServer): Connection =>
  connect(server, {
    commandTimeout: LIMITER_COMMAND_TIMEOUT,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
  });

/** Waits for Redis for ever, as BullMQ asks of the connection of a worker. */
export const connectWorker = (server: RedisServer): Connection =>
  connect(server, { maxRetriesPerRequest: null });

/** For a look at it: a command that takes long fails. */
export const connectInspector = (server: RedisServer): Connection =>
  connect(server, { commandTimeout: INSPECTOR_COMMAND_TIMEOUT, maxRetriesPerRequest: 0 });

/** Ends a connection without waiting for a Redis that is away. */
export const disconnect = (redis: Connection): void => {
  redis.removeAllListeners('error');
  redis.on('error', () => {});
  redis.disconnect();
};
