import { parseRedisUrl, trusting } from '@chairside/network';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { SentinelMasterConnector, StandaloneConnector } from './connectors.ts';

/** How long a command of a producer may take before it fails. */
const PRODUCER_COMMAND_TIMEOUT_MS = 500;

/** How long a rate limit command may take before the process counts only its own calls. */
const LIMITER_COMMAND_TIMEOUT_MS = 100;

/** How long a command of `inspectRedis` may take. */
const INSPECTOR_COMMAND_TIMEOUT_MS = 2000;

/** How long a sentinel may take to report the master before another one is queried. */
const SENTINEL_COMMAND_TIMEOUT_MS = 1000;

/**
 * How often a connection reads the assignment of slots to the nodes of a cluster. Otherwise an idle connection would
 * not notice that slots have moved.
 */
const SLOTS_REFRESH_INTERVAL_MS = 5000;

/**
 * How long a connection may wait for any response before it is closed and opened again. The server may have vanished
 * without closing it, and the system notices that only after a quarter of an hour. A worker waits for a job for five
 * seconds at most; then Redis responds without a job.
 */
const LONGEST_SILENCE_MS = 10_000;

/** The address of Redis, and the certificates to trust. */
export type RedisServer = {
  /**
   * The URL in a form that `parseRedisUrl` of `runtime` accepts: one server, a master behind sentinels, or a cluster;
   * with or without TLS.
   */
  url: string;
  /** Certificates in PEM format. They are trusted in addition to the public certification authorities. */
  certificates?: readonly string[] | undefined;
};

export type Connection = Redis | Cluster;

/** The options that differ between producers, rate limiters, workers and inspectors. */
type Patience = Pick<RedisOptions, 'commandTimeout' | 'enableOfflineQueue' | 'maxRetriesPerRequest'>;

/**
 * The delay before the next connection attempt, in milliseconds. Attempts never stop, because Redis may be unreachable
 * at startup and come back at any time.
 */
const retryDelay = (tries: number): number => Math.min(tries * 50, 1000);

/** @throws {Error} when the address is not valid */
const connect = ({ url, certificates = [] }: RedisServer, patience: Patience): Connection => {
  const { username, password, tls: isEncrypted, ...address } = parseRedisUrl(url);
  const tls = certificates.length > 0 ? { secureContext: trusting(certificates) } : {};
  const access = {
    ...patience,
    socketTimeout: LONGEST_SILENCE_MS,
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
        // A master that has become a replica refuses writes. The value 2 makes ioredis reconnect to the new master and
        // send the commands again.
        reconnectOnError: ({ message }) => (message.startsWith('READONLY') ? 2 : false),
      });
    case 'cluster':
      return new Cluster(address.nodes, {
        redisOptions: { ...access, Connector: StandaloneConnector },
        clusterRetryStrategy: retryDelay,
        slotsRefreshInterval: SLOTS_REFRESH_INTERVAL_MS,
        // ioredis sets no time limit on a pipeline of a cluster. So on a connection whose commands must fail fast,
        // commands are not retried in the background.
        ...(patience.enableOfflineQueue === false && {
          enableOfflineQueue: false,
          retryDelayOnFailover: 0,
          retryDelayOnClusterDown: 0,
          // With the ready check, a connection that is not ready within the time limit of a command would be restarted
          // again and again.
          enableReadyCheck: false,
        }),
        // A certificate is issued for a name, so the name must not be replaced by its address.
        ...(isEncrypted && { dnsLookup: (host, callback) => callback(null, host) }),
      });
  }
};

/** A connection for publishing. A command that takes longer than 500 ms fails. */
export const connectProducer = (server: RedisServer): Connection =>
  connect(server, {
    commandTimeout: PRODUCER_COMMAND_TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
  });

/** A connection for rate limits. A command that takes longer fails, because a request waits for it. */
export const connectLimiter = (
  server: RedisServer,
  commandTimeout = LIMITER_COMMAND_TIMEOUT_MS,
): Connection =>
  connect(server, {
    commandTimeout,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
  });

/** A connection that waits for Redis without a time limit, as BullMQ requires for workers. */
export const connectWorker = (server: RedisServer): Connection =>
  connect(server, { maxRetriesPerRequest: null });

/** A connection for `inspectRedis`. A command that takes longer than 2 s fails. */
export const connectInspector = (server: RedisServer): Connection =>
  connect(server, { commandTimeout: INSPECTOR_COMMAND_TIMEOUT_MS, maxRetriesPerRequest: 0 });

/** Closes a connection without waiting for a Redis that is unreachable. */
export const disconnect = (redis: Connection): void => {
  redis.removeAllListeners('error');
  redis.on('error', () => {});
  redis.disconnect();
};
