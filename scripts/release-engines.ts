import type { TestProject } from 'vitest/node';
import { startMongodb, startRedisCluster } from '../packages/local-services/src/index.ts';
import { buildPages } from './build-pages.ts';
import { endLeftovers } from './leftovers.ts';

/** Like test-engines.ts, but Redis is a cluster of three nodes, even if REDIS_URL is set. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  await buildPages();
  const mongodb = await startMongodb({ ephemeral: true, onProgress: (line) => console.log(line) });
  const cluster = await startRedisCluster().catch(async (error: unknown) => {
    await mongodb.stop();
    throw error;
  });
  console.log(`MongoDB: ${mongodb.source}\nRedis: a cluster of ${cluster.nodes[0]?.source}`);
  project.provide('mongodbUrl', mongodb.url);
  project.provide('redisUrl', cluster.url);
  return async () => {
    try {
      if (mongodb.started) endLeftovers(mongodb.url);
    } finally {
      await Promise.all([mongodb.stop(), cluster.stop()]);
    }
  };
};
