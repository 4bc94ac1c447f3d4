export * from './database-metrics.ts';
export * from './encryption-metrics.ts';
export * from './registry.ts';
