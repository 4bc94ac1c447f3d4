import { once } from 'node:events';
import { Cluster, type Redis } from 'ioredis';
import { connectInspector, disconnect, type RedisServer } from './connection.ts';

/** How long it may take to be connected, in milliseconds. */
const CONNECT_TIMEOUT = 5000;

/** What a server tells of itself; `undefined` for what it does not tell. */
export type RedisInspection = { version: string | undefined; evictionPolicy: string | undefined };

const inspect = async (redis: Redis): Promise<RedisInspection> => {
  // INFO is allowed by hosted services where they refuse CONFIG.
  const told = `${await redis.info('server')}\r\n${await redis.info('memory')}`;
  const field = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(told)?.[1];
  return { version: field('redis_version'), evictionPolicy: field('maxmemory_policy') };
};

/** The cause, where a cluster only says that no node could be used. */
const causeOf = (error: unknown): unknown => (error as { lastNodeError?: Error }).lastNodeError ?? error;

/**
 * Looks at each server that may have our keys: the one, the present master, or every master of a cluster.
 *
 * @throws the first problem with the connection, with its `code`; after 5 s an `AbortError`
 */
export const inspectRedis = async (server: RedisServer): Promise<RedisInspection[]> => {
  const redis = connectInspector(server);
  try {
    await once(redis, 'ready', { signal: AbortSignal.timeout(CONNECT_TIMEOUT) });
    return await Promise.all((redis instanceof Cluster ? redis.nodes('master') : [redis]).map(inspect));
  } catch (error) {
    throw causeOf(error);
  } finally {
    disconnect(redis);
  }
};
