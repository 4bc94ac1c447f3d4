import { parseRedisUrl, trusting } from '@chairside/runtime';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { SentinelMasterConnector, StandaloneConnector } from './connectors.ts';

/** How long a command of the api may take before Redis counts as unreachable. */
const PRODUCER_COMMAND_TIMEOUT_MS = 500;

/** How long a rate limit command may take before the process counts for itself. */
const LIMITER_COMMAND_TIMEOUT_MS = 100;

/** How long a command of `inspectRedis` may take. */
const INSPECTOR_COMMAND_TIMEOUT_MS = 2000;

/** How long a sentinel may take to report the master before another one is queried. */
const SENTINEL_COMMAND_TIMEOUT_MS = 1000;

/**
 * How often a connection reads which node has which slots of a cluster. Otherwise an idle
 * connection would not notice that the slots have moved.
 */
const SLOTS_REFRESH_INTERVAL_MS = 5000;

/** The address of Redis, and the certificates to trust. */
export type RedisServer = {
  /**
   * As `parseRedisUrl` of `runtime` reads it: one server, a master behind sentinels, or a cluster; with or without TLS.
   */
  url: string;
  /** In PEM; trusted in addition to the public certification authorities. */
  certificates?: readonly string[] | undefined;
};

export type Connection = Redis | Cluster;

/** The options in which the kinds of connections differ. */
type Patience = Pick<RedisOptions, 'commandTimeout' | 'enableOfflineQueue' | 'maxRetriesPerRequest'>;

/** Redis may be unreachable at startup and come back at any time. */
const retryDelay = (tries: number): number => Math.min(tries * 50, 1000);

/** @throws {Error} when the address is not valid */
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
        sentinelCommandTimeout: SENTINEL_COMMAND_TIMEOUT_MS,
        ...(address.sentinelUsername !== undefined && { sentinelUsername: address.sentinelUsername }),
        ...(address.sentinelPassword !== undefined && { sentinelPassword: address.sentinelPassword }),
        ...(isEncrypted && { enableTLSForSentinelMode: true, sentinelTLS: tls }),
        retryStrategy: retryDelay,
        sentinelRetryStrategy: retryDelay,
        // A master that has become a replica refuses writes. Reconnect to the new master, and send them again.
        reconnectOnError: ({ message }) => (message.startsWith('READONLY') ? 2 : false),
      });
    case 'cluster':
      return new Cluster(address.nodes, {
        redisOptions: { ...access, Connector: StandaloneConnector },
        clusterRetryStrategy: retryDelay,
        slotsRefreshInterval: SLOTS_REFRESH_INTERVAL_MS,
        // ioredis sets no time limit on a pipeline here. A caller that does not wait for Redis must not cause retries
        // in the background.
        ...(patience.enableOfflineQueue === false && {
          enableOfflineQueue: false,
          retryDelayOnFailover: 0,
          retryDelayOnClusterDown: 0,
          // With the ready check, the connection would have to be ready within the time limit of a command,
          // or it would start again without end.
          enableReadyCheck: false,
        }),
        // A certificate is issued for a name, so the name must not be replaced by its address.
        ...(isEncrypted && { dnsLookup: (host, callback) => callback(null, host) }),
      });
  }
};

/** Fails fast, because a response to a caller never waits for Redis. */
export const connectProducer = (server: RedisServer): Connection =>
  connect(server, {
    commandTimeout: PRODUCER_COMMAND_TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
  });

/** Fails even faster, because every response waits for the limiter. */
export const connectLimiter = (server: RedisServer): Connection =>
  connect(server, {
    commandTimeout: LIMITER_COMMAND_TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
  });

/** Waits for Redis without a limit, as BullMQ requires for the connection of a worker. */
export const connectWorker = (server: RedisServer): Connection =>
  connect(server, { maxRetriesPerRequest: null });

/** For `inspectRedis`: a command that takes long fails. */
export const connectInspector = (server: RedisServer): Connection =>
  connect(server, { commandTimeout: INSPECTOR_COMMAND_TIMEOUT_MS, maxRetriesPerRequest: 0 });

/** Closes a connection without waiting for a Redis that is unreachable. */
export const disconnect = (redis: Connection): void => {
  redis.removeAllListeners('error');
  redis.on('error', () => {});
  redis.disconnect();
};
