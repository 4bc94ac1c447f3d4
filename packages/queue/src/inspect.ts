import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Cluster, type Redis } from 'ioredis';
import { connectInspector, disconnect, type RedisServer } from './connection.ts';

const CONNECT_TIMEOUT_MS = 2000;
/** How long the key of the trial lives if it cannot be deleted. */
const KEY_LIFE_MS = 60_000;

/** The properties that a server reports. A property that it does not report is `undefined`. */
export type RedisServerInspection = { version: string | undefined; evictionPolicy: string | undefined };

export type RedisInspection = {
  /** One for every server that may store our keys. */
  servers: RedisServerInspection[];
  /** Why Redis refuses to store a key, as the first word of its error, such as `OOM`; undefined if it stores one. */
  refusal: string | undefined;
};

const inspect = async (redis: Redis): Promise<RedisServerInspection> => {
  // INFO is used, because hosted services allow it but often refuse CONFIG.
  const report = `${await redis.info('server')}\r\n${await redis.info('memory')}`;
  const field = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(report)?.[1];
  return { version: field('redis_version'), evictionPolicy: field('maxmemory_policy') };
};

/** Returns the cause of an error. The error of a cluster itself only says that no node could be used. */
const causeOf = (error: unknown): unknown => (error as { lastNodeError?: Error }).lastNodeError ?? error;

/** Stores a key where our keys are, and deletes it. */
const refusalOf = async (redis: Redis | Cluster, prefix: string): Promise<string | undefined> => {
  const key = `${prefix}:doctor:${randomUUID()}`;
  try {
    await redis.set(key, '', 'PX', KEY_LIFE_MS);
    await redis.del(key);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ReplyError') throw error;
    return error.message.split(' ', 1)[0];
  }
};

/**
 * Inspects each server that may hold our keys: the single server, the current master, or every master of a cluster. Stores
 * a key and deletes it.
 *
 * @param prefix the prefix of our keys
 * @throws the first connection error, with its `code`; the error of a command; an `AbortError` if connecting takes
 *   longer than 2 s
 */
export const inspectRedis = async (server: RedisServer, prefix: string): Promise<RedisInspection> => {
  const redis = connectInspector(server);
  try {
    await once(redis, 'ready', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
    const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
    const [refusal, ...servers] = await Promise.all([refusalOf(redis, prefix), ...nodes.map(inspect)]);
    return { servers, refusal };
  } catch (error) {
    throw causeOf(error);
  } finally {
    disconnect(redis);
  }
};
