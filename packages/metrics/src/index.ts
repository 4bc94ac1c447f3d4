export * from './build-info.ts';
export * from './database-metrics.ts';
