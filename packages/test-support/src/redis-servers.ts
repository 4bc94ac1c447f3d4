import { parseRedisUrl } from '@chairside/network';
import { Redis } from 'ioredis';
import { testEngines } from './test-store.ts';

/**
 * Connects to the Redis servers of the test run: a single server, or the nodes of the cluster that the release check
 * uses. The caller must disconnect them.
 */
export const redisServers = (): Redis[] => {
  const address = parseRedisUrl(testEngines().redisUrl);
  if (address.kind === 'sentinel') throw new Error('the test run has no sentinels');
  const servers = address.kind === 'cluster' ? address.nodes : [address.server];
  return servers.map((server) => new Redis(server));
};
