import { within } from '@chairside/runtime';
import { Cluster } from 'ioredis';
import type { Connection } from './connection.ts';

/** How often a cluster is checked for the node with our keys, in milliseconds. */
const LOOK_INTERVAL = 1000;
/** How long a check may take, in milliseconds. */
const LOOK_TIMEOUT = 500;
/**
 * After this many failed checks in a row the cluster counts as unreachable. A single one may fail while a
 * connection is being opened.
 */
const MAX_MISSES = 2;

/**
 * Called once when Redis becomes unreachable and once when it is back, however often a connection is tried in between.
 */
export type AvailabilityListener = { onAway(error: Error): void; onBack(): void };

/** Whether Redis can be used, as far as this process knows. */
export type Availability = { isReady(): boolean; stop(): void };

/**
 * @param prefix the prefix of our keys; in a cluster, one node has them all
 * @param emitters the connection, and other objects that report its errors
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

  // A connection to a cluster counts as ready, whatever the state of the nodes, until it is used.
  let misses = 0;
  const look = async () => {
    if (redis.status !== 'ready') return;
    const answer = redis.exists(`${prefix}:any`).catch((error: Error) => error);
    const given = await within(answer, LOOK_TIMEOUT);
    misses = typeof given === 'number' ? 0 : misses + 1;
    if (typeof given === 'number') back();
    else if (misses >= MAX_MISSES) away(given ?? new Error('no response in time'));
  };
  redis.on('ready', look);
  const timer = setInterval(look, LOOK_INTERVAL);
  return { isReady, stop: () => clearInterval(timer) };
};
