export * from './build-info.ts';
export * from './clock-skew.ts';
export * from './database-metrics.ts';
export * from './encryption-metrics.ts';
