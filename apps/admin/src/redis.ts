import { inspectRedis, type RedisInspection, type RedisServer } from '@chairside/queue';
import type { Verdict } from './verdict.ts';

const WANTED_POLICY = 'noeviction';

/** @param inspections of every server that may have our keys */
export const policyVerdict = (inspections: readonly Pick<RedisInspection, 'evictionPolicy'>[]): Verdict => {
  const check = 'Redis eviction';
  const policies = new Set(inspections.map(({ evictionPolicy }) => evictionPolicy));
  policies.delete(WANTED_POLICY);
  if (policies.size === 0) return { check, ok: true, finding: WANTED_POLICY };
  const named = [...policies].filter((policy) => policy !== undefined);
  return {
    check,
    ok: false,
    finding:
      named.length === 0 ? 'the policy is not told' : `the policy is ${named.join(', ')}: jobs may vanish`,
    cure: `Set maxmemory-policy ${WANTED_POLICY} in the configuration of Redis.`,
  };
};

/** Whether Redis can be reached and keeps what it is given. */
export const examineRedis = async (server: RedisServer): Promise<Verdict[]> => {
  try {
    const inspections = await inspectRedis(server);
    const versions = [...new Set(inspections.map(({ version }) => version ?? 'unknown'))].join(', ');
    const nodes = inspections.length > 1 ? `, ${inspections.length} nodes` : '';
    return [
      { check: 'Redis', ok: true, finding: `reachable, version ${versions}${nodes}` },
      policyVerdict(inspections),
    ];
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    return [
      {
        check: 'Redis',
        ok: false,
        finding: `cannot be used (${code ?? name})`,
        cure: 'See that it runs, and that address, user and password in REDIS_URL and, for TLS, REDIS_CA_FILE are right. Webhooks still go out meanwhile, a few seconds later.',
      },
    ];
  }
};
