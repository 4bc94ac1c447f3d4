import { within } from '@chairside/runtime';
import { Cluster } from 'ioredis';
import type { Connection } from './connection.ts';

/** How often a cluster is asked whether it has our keys, in milliseconds. */
const LOOK_INTERVAL = 1000;
/** How long it may take to answer, in milliseconds. */
const LOOK_TIMEOUT = 500;
/** After so many looks in a row without an answer it is away: one may be a connection that is just being made. */
const MAX_MISSES = 2;

/** Told when Redis goes away and when it is back: once each, however often a connection is tried in between. */
export type AvailabilityListener = { onAway(error: Error): void; onBack(): void };

/** Whether Redis can be used, as far as is known. */
export type Availability = { isReady(): boolean; stop(): void };

/**
 * @param prefix of our keys; in a cluster one node has them all
 * @param emitters the connection, and what else reports its errors
 */
export const watchAvailability = (
  redis: Connection,
  prefix: string,
  emitters: readonly { on(event: 'error', listener: (error: Error) => void): unknown }[],
  { onAway, onBack }: AvailabilityListener,
): Availability => {
  let isAway = false;
  const away = (error: Error) => {
    if (!isAway) onAway(error);
    isAway = true;
  };
  const back = () => {
    if (isAway) onBack();
    isAway = false;
  };
  for (const emitter of emitters) {
    emitter.on('error', (error) => {
      if (redis.status !== 'ready') away(error);
    });
  }
  const isReady = () => !isAway && redis.status === 'ready';
  if (!(redis instanceof Cluster)) {
    redis.on('ready', back);
    return { isReady, stop: () => {} };
  }

  // The connection of a cluster counts as ready whatever its nodes do, until it is used.
  let misses = 0;
  const look = async () => {
    if (redis.status !== 'ready') return;
    const answer = redis.exists(`${prefix}:any`).catch((error: Error) => error);
    const given = await within(answer, LOOK_TIMEOUT);
    misses = typeof given === 'number' ? 0 : misses + 1;
    if (typeof given === 'number') back();
    else if (misses >= MAX_MISSES) away(given ?? new Error('no answer in time'));
  };
  redis.on('ready', look);
  const timer = setInterval(look, LOOK_INTERVAL);
  return { isReady, stop: () => clearInterval(timer) };
};
