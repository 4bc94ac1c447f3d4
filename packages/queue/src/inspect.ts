import { once } from 'node:events';
import { Cluster, type Redis } from 'ioredis';
import { connectInspector, disconnect, type RedisServer } from './connection.ts';

const CONNECT_TIMEOUT_MS = 5000;

/** The properties that a server reports. A property that it does not report is `undefined`. */
export type RedisInspection = { version: string | undefined; evictionPolicy: string | undefined };

const inspect = async (redis: Redis): Promise<RedisInspection> => {
  // INFO is used, because hosted services allow it but often refuse CONFIG.
  const report = `${await redis.info('server')}\r\n${await redis.info('memory')}`;
  const field = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(report)?.[1];
  return { version: field('redis_version'), evictionPolicy: field('maxmemory_policy') };
};

/** Returns the cause of an error. The error of a cluster itself only says that no node could be used. */
const causeOf = (error: unknown): unknown => (error as { lastNodeError?: Error }).lastNodeError ?? error;

/**
 * Inspects each server that may hold our keys: the single server, the current master, or every master of a cluster.
 *
 * @throws the first connection error, with its `code`; the error of a command; an `AbortError` if connecting takes
 *   longer than 5 s
 */
export const inspectRedis = async (server: RedisServer): Promise<RedisInspection[]> => {
  const redis = connectInspector(server);
  try {
    await once(redis, 'ready', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
    return await Promise.all((redis instanceof Cluster ? redis.nodes('master') : [redis]).map(inspect));
  } catch (error) {
    throw causeOf(error);
  } finally {
    disconnect(redis);
  }
};
