import { inspectRedis, type RedisServer, type RedisServerInspection } from '@chairside/queue';
import type { Verdict } from './verdict.ts';

const WANTED_POLICY = 'noeviction';

/** @param inspections one for every server that may store our keys */
export const policyVerdict = (
  inspections: readonly Pick<RedisServerInspection, 'evictionPolicy'>[],
): Verdict => {
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

/** @param refusal why Redis refuses to store a key; undefined if it stores one */
const storageVerdict = (refusal: string | undefined): Verdict => {
  const check = 'Redis storage';
  if (refusal === undefined) return { check, ok: true, finding: 'a key was stored and deleted' };
  const hint =
    refusal === 'OOM'
      ? 'Its memory is full. Find out what fills it, or raise maxmemory: docs/operation/repair.md, "When Redis is unreachable, full or empty".'
      : 'Look at the log of Redis, and at the rights of its user. Meanwhile webhooks are still sent, a few seconds later.';
  return { check, ok: false, finding: `Redis refuses to store a key (${refusal})`, hint };
};

/**
 * Checks that Redis is reachable, stores keys and evicts none.
 *
 * @param prefix the prefix of our keys
 */
export const examineRedis = async (server: RedisServer, prefix: string): Promise<Verdict[]> => {
  try {
    const { servers, refusal } = await inspectRedis(server, prefix);
    const versions = [...new Set(servers.map(({ version }) => version ?? 'unknown'))].join(', ');
    const nodes = servers.length > 1 ? `, ${servers.length} nodes` : '';
    return [
      { check: 'Redis', ok: true, finding: `reachable, version ${versions}${nodes}` },
      storageVerdict(refusal),
      policyVerdict(servers),
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
