export * from './dial.ts';
export * from './dialable-addresses.ts';
export * from './redis-url.ts';
export * from './trust.ts';
export * from './web-addresses.ts';
