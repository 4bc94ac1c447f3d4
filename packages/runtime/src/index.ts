export * from './batched.ts';
export * from './fair-queue.ts';
export * from './loggable-error.ts';
export * from './redis-url.ts';
export * from './settings.ts';
export * from './tracing.ts';
export * from './trust.ts';
export * from './within.ts';
