import type { TestProject } from 'vitest/node';
import { startEngines } from '../packages/local-services/src/index.ts';
import { buildPages } from './build-pages.ts';
import { endLeftovers } from './leftovers.ts';

/** Starts MongoDB and Redis for the whole run, unless their URLs are set, and builds the pages of the dashboard. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const [{ mongodb, redis, stop }] = await Promise.all([
    startEngines({ ephemeral: true, onProgress: (line) => console.log(line) }),
    buildPages(),
  ]);
  console.log(`MongoDB: ${mongodb.source}\nRedis: ${redis.source}`);
  project.provide('mongodbUrl', mongodb.url);
  project.provide('redisUrl', redis.url);
  return async () => {
    try {
      if (mongodb.started) endLeftovers(mongodb.url);
    } finally {
      await stop();
    }
  };
};
