import { startEngines } from '../packages/local-services/src/index.ts';
import type { TestProject } from 'vitest/node';

/** Brings MongoDB and Redis up for the whole run; given addresses win. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const { mongodb, redis, stop } = await startEngines({ ephemeral: true, onProgress: (line) => console.log(line) });
  console.log(`MongoDB: ${mongodb.source}\nRedis: ${redis.source}`);
  project.provide('mongodbUrl', mongodb.url);
  project.provide('redisUrl', redis.url);
  return stop;
};
