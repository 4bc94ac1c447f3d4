/**
 * node holder.ts <options of startEngines as JSON>: starts both engines, prints their properties as one line of JSON,
 * and keeps running. On SIGINT it uses both once more, like an app that drains, and then stops them.
 */

import { type EngineOptions, startEngines } from '../src/index.ts';
import { writeToMongodb } from '../src/running-mongod.ts';
import { redisAt } from '../src/running-redis.ts';

const { mongodb, redis, stop } = await startEngines(JSON.parse(process.argv[2] ?? '') as EngineOptions);

process.on('SIGINT', async () => {
  await writeToMongodb(mongodb.url);
  await redisAt(redis.url);
  await stop();
  console.log('drained');
  clearInterval(staying);
});
// This timer keeps the process running, because the engines do not.
const staying = setInterval(() => {}, 60_000);

console.log(
  JSON.stringify({ mongodb: mongodb.url, redis: redis.url, pids: [...mongodb.pids, ...redis.pids] }),
);
