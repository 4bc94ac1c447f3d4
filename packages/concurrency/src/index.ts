export * from './batched.ts';
export { type ConcurrencyCount, createConcurrencyCount, type Place } from './concurrency-count.ts';
export * from './fair-queue.ts';
export { type Rounds, startRounds } from './rounds.ts';
export * from './tally.ts';
export * from './within.ts';
export * from './work.ts';
