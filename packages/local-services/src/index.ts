export { type ClaimedDirectory, claim } from './data-directory.ts';
export type { Engine, EngineOptions, Engines, Keeping } from './engine.ts';
export { startEngines, startMongodb, startRedis } from './engines.ts';
export { LocalServicesError, type ProblemCode } from './problem.ts';
export { type RedisCertificate, type RedisCluster, startRedisCluster } from './redis-cluster.ts';
export { type RedisWithSentinel, startRedisWithSentinel } from './redis-with-sentinel.ts';
export { removeData } from './remove-data.ts';
export { type ServerProcess, StartFailure, startServer, stopServer } from './server-process.ts';
export { startWatchdog, type Watchdog } from './watchdog.ts';
