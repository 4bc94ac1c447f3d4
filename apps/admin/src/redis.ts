import { Redis } from 'ioredis';
import type { Verdict } from './verdict.ts';

const TIMEOUT = 2000;
const WANTED_POLICY = 'noeviction';

/** @param info the section `memory` of INFO */
export const policyVerdict = (info: string): Verdict => {
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
  const check = 'Redis eviction';
  if (policy === WANTED_POLICY) return { check, ok: true, finding: policy };
  return {
    check,
    ok: false,
    finding: policy === undefined ? 'the policy is not told' : `the policy is ${policy}: jobs may vanish`,
    cure: `Set maxmemory-policy ${WANTED_POLICY} in the configuration of Redis.`,
  };
};

/**
 * Whether Redis can be reached and keeps what it is given. The policy is read from INFO, which hosted services allow
 * where they refuse CONFIG.
 */
export const examineRedis = async (url: string): Promise<Verdict[]> => {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: TIMEOUT,
    commandTimeout: TIMEOUT,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // The call that fails tells only that the connection is closed; why is told here.
  let reason: unknown;
  redis.on('error', (error: unknown) => {
    reason = error;
  });
  try {
    await redis.connect();
    const version = /^redis_version:(\S+)/m.exec(await redis.info('server'))?.[1] ?? 'unknown';
    return [
      { check: 'Redis', ok: true, finding: `reachable, version ${version}` },
      policyVerdict(await redis.info('memory')),
    ];
  } catch (error) {
    const { code, name } = (reason ?? error) as NodeJS.ErrnoException;
    return [
      {
        check: 'Redis',
        ok: false,
        finding: `cannot be used (${code ?? name})`,
        cure: 'See that it runs, and that address, user and password in REDIS_URL are right. Webhooks still go out meanwhile, a few seconds later.',
      },
    ];
  } finally {
    redis.disconnect();
  }
};
