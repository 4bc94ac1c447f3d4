export * from './captured-output.ts';
export * from './database-times.ts';
export * from './log-output.ts';
export * from './loggable-error.ts';
export * from './tracing.ts';
