import { once } from 'node:events';
import { Cluster, type Redis } from 'ioredis';
import { connectInspector, disconnect, type RedisServer } from './connection.ts';

/** How long connecting may take. */
const CONNECT_TIMEOUT_MS = 5000;

/** Properties that a server reports; `undefined` for those it does not report. */
export type RedisInspection = { version: string | undefined; evictionPolicy: string | undefined };

const inspect = async (redis: Redis): Promise<RedisInspection> => {
  // INFO, because hosted services allow it where they refuse CONFIG.
  const report = `${await redis.info('server')}\r\n${await redis.info('memory')}`;
  const field = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(report)?.[1];
  return { version: field('redis_version'), evictionPolicy: field('maxmemory_policy') };
};

/** The cause of an error. A cluster itself only reports that no node could be used. */
const causeOf = (error: unknown): unknown => (error as { lastNodeError?: Error }).lastNodeError ?? error;

/**
 * Inspects each server that may have our keys: the single server, the present master, or every master of a cluster.
 *
 * @throws the first connection problem, with its `code`; an `AbortError` after 5 s
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
