import { parseRedisUrl } from '@chairside/runtime';
import { Redis } from 'ioredis';
import { testEngines } from './test-store.ts';

/** The Redis servers of the test run: one, or the nodes of the cluster of the release check. The caller disconnects them. */
export const redisServers = (): Redis[] => {
  const address = parseRedisUrl(testEngines().redisUrl);
  if (address.kind === 'sentinel') throw new Error('the test run has no sentinels');
  const servers = address.kind === 'cluster' ? address.nodes : [address.server];
  return servers.map((server) => new Redis(server));
};
