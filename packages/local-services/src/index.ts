export type { Browser } from './browser/chromium.ts';
export { findBrowser } from './browser/find-browser.ts';
export type { Engine, EngineOptions, Engines, Keeping } from './engine.ts';
export { startEngines, startMongodb, startRedis } from './engines.ts';
export { LocalServicesError, type ProblemCode } from './problem.ts';
export type { RedisCertificate } from './redis-certificate.ts';
export { type RedisCluster, startRedisCluster } from './redis-cluster.ts';
export { type RedisWithSentinel, startRedisWithSentinel } from './redis-with-sentinel.ts';
export { removeData } from './remove-data.ts';
