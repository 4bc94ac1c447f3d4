import { inspectRedis, type RedisInspection, type RedisServer } from '@chairside/queue';
import type { Verdict } from './verdict.ts';

const WANTED_POLICY = 'noeviction';

/** @param inspections one for every server that may store our keys */
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
      named.length === 0 ? 'the policy is unknown' : `the policy is ${named.join(', ')}: jobs may be lost`,
    hint: `Set maxmemory-policy ${WANTED_POLICY} in the configuration of Redis.`,
  };
};

/** Checks that Redis is reachable and evicts no keys. */
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
        hint: 'Check that Redis is running, and check address, user and password in REDIS_URL and, for TLS, REDIS_CA_FILE. Meanwhile webhooks are still sent, a few seconds later.',
      },
    ];
  }
};
