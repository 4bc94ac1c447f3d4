import { Redis } from 'ioredis';

const WITHIN_MS = 5_000;

/** Returns the pid and the version of a Redis server (INFO server). @throws {Error} if no Redis responds within 5 s */
export async function redisAt(url: string): Promise<{ pid: number; version: string }> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: WITHIN_MS,
    commandTimeout: WITHIN_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // The cause of a failed connection is reported only by this event; `connect` just throws "closed".
  let cause: unknown;
  redis.on('error', (error) => {
    cause = error;
  });
  try {
    await redis.connect();
    const text = await redis.info('server');
    const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(text)?.[1] ?? '';
    return { pid: Number(field('process_id')), version: field('redis_version') };
  } catch (error) {
    throw cause ?? error;
  } finally {
    redis.disconnect();
  }
}
