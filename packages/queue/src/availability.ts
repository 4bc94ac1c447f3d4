import { within } from '@chairside/concurrency';
import { ServiceError } from '@chairside/domain';
import { Cluster } from 'ioredis';
import type { Connection } from './connection.ts';

/** How often the process checks that the server with our keys stores data. */
const LOOK_INTERVAL_MS = 1000;
const LOOK_TIMEOUT_MS = 500;
/** How long the key of a check lives. */
const KEY_LIFE_MS = 10_000;
/**
 * The number of consecutive failed checks after which the cluster counts as unreachable. It is not 1, because a single
 * check may fail while a connection is being opened.
 */
const MAX_MISSES = 2;

/**
 * `onUnavailable` is called once when Redis becomes unreachable or refuses to store data, and `onAvailable` once when it
 * is back, however many connection attempts happen in between.
 */
export type AvailabilityListener = { onUnavailable(error: Error): void; onAvailable(): void };

/** `isReady` returns whether Redis can be used, as far as this process knows. `stop` ends the checks. */
export type Availability = { isReady(): boolean; stop(): void };

/**
 * @param prefix the prefix of our keys; in a cluster, one node holds all of them
 * @param emitters the connection, and other objects that emit its errors
 */
export const watchAvailability = (
  redis: Connection,
  prefix: string,
  emitters: readonly { on(event: 'error', listener: (error: Error) => void): unknown }[],
  { onUnavailable, onAvailable }: AvailabilityListener,
): Availability => {
  let isUnavailable = false;
  const unreachable = (error: Error) => {
    if (!isUnavailable) onUnavailable(error);
    isUnavailable = true;
  };
  const back = () => {
    if (isUnavailable) onAvailable();
    isUnavailable = false;
  };
  for (const emitter of emitters) {
    emitter.on('error', (error) => {
      if (redis.status !== 'ready') unreachable(error);
    });
  }
  const isReady = () => !isUnavailable && redis.status === 'ready';

  // A server that is reachable may refuse to store data: its memory is full, its disk fails, or it has become a replica.
  // The client of a cluster can be ready although the node with our keys is unreachable. Only a command that stores
  // something finds this out.
  let misses = 0;
  const look = async () => {
    if (redis.status !== 'ready') return;
    const response = redis.set(`${prefix}:check`, '', 'PX', KEY_LIFE_MS).catch((error: Error) => error);
    const given = await within(response, LOOK_TIMEOUT_MS);
    misses = given === 'OK' ? 0 : misses + 1;
    if (given === 'OK') back();
    else if (redis instanceof Cluster) {
      if (misses >= MAX_MISSES) unreachable(given ?? new ServiceError('no response in time'));
    } else if (given instanceof Error && given.name === 'ReplyError') unreachable(given);
  };
  redis.on('ready', look);
  const timer = setInterval(look, LOOK_INTERVAL_MS);
  return { isReady, stop: () => clearInterval(timer) };
};
