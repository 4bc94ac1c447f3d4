import type { TestProject } from 'vitest/node';
import { startEngines } from '../packages/local-services/src/index.ts';

/** Starts MongoDB and Redis for the whole run, unless their URLs are set. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const { mongodb, redis, stop } = await startEngines({
    ephemeral: true,
    onProgress: (line) => console.log(line),
  });
  console.log(`MongoDB: ${mongodb.source}\nRedis: ${redis.source}`);
  project.provide('mongodbUrl', mongodb.url);
  project.provide('redisUrl', redis.url);
  return stop;
};
