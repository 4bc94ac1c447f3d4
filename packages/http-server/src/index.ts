export * from './connections.ts';
export * from './metrics-server.ts';
export * from './refusals.ts';
export * from './request-log.ts';
export * from './request-spans.ts';
export * from './stalled-responses.ts';
export * from './undecodable-paths.ts';
