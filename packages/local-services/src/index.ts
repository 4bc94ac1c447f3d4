export type { Engine, EngineOptions, Engines, Keeping } from './engine.ts';
export { startEngines, startMongodb, startRedis } from './engines.ts';
export { LocalServicesError, type ProblemCode } from './problem.ts';
export { removeData } from './remove-data.ts';
