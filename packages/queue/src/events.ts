import {
  EVENTS_JOB_VERSION,
  type EventsJob,
  eventsJobSchema,
  type UnpublishedEvent,
} from '@chairside/domain';
import { batched, within } from '@chairside/runtime';
import { type Job, Queue, Worker } from 'bullmq';
import { type AvailabilityListener, watchAvailability } from './availability.ts';
import { connectProducer, connectWorker, disconnect, type RedisServer } from './connection.ts';

const QUEUE = 'events';
/** The most events of a job. */
const MAX_EVENTS = 200;
/** How long adding a job may take before it is forgotten, in milliseconds: the sweep finds its events. */
const ADD_TIMEOUT = 1000;
/** How long closing may take, in milliseconds: a Redis that is away must not hold a shutdown up. */
const CLOSE_TIMEOUT = 2000;
/** How many jobs are handed over at once; their events are grouped again on arrival. */
const CONCURRENCY = 20;
/** How often a job may be started again after its worker died; what it does may be repeated. */
const MAX_STALLED_COUNT = 10;

/** The default first part of every key in Redis; in braces, so that a cluster keeps a queue on one node. */
export const DEFAULT_QUEUE_PREFIX = '{chairside}';

export type QueueOptions = AvailabilityListener & RedisServer & { prefix: string };

/** A lost job costs time only, and availability is reported by its own listener. */
const ignore = () => {};

/** Tells the dispatcher of new events. It saves time and guarantees nothing: what is lost here the sweep finds. */
export type EventProducer = {
  /** Tells of an event behind the caller's back, together with others of the moment; never throws, never waits. */
  publish(event: UnpublishedEvent): void;
  /** Whether Redis is connected. */
  isReady(): boolean;
  close(): Promise<void>;
};

export const openEventProducer = ({
  prefix,
  url,
  certificates,
  ...listener
}: QueueOptions): EventProducer => {
  const redis = connectProducer({ url, certificates });
  const queue = new Queue(QUEUE, { connection: redis, prefix, skipVersionCheck: true });
  const { isReady, stop } = watchAvailability(redis, prefix, [redis, queue], listener);

  const add = batched<UnpublishedEvent, void>(async (events) => {
    // While Redis is away add would wait for it, and what waits would pile up.
    if (!isReady()) return [];
    const job: EventsJob = { version: EVENTS_JOB_VERSION, events };
    const adding = queue.add('events', job, { removeOnComplete: true, removeOnFail: true });
    await within(adding.catch(ignore), ADD_TIMEOUT);
    return [];
  }, MAX_EVENTS);

  return {
    publish: (event) => void add(event),
    isReady,
    async close() {
      stop();
      if (isReady()) await within(queue.close().catch(ignore), CLOSE_TIMEOUT);
      disconnect(redis);
    },
  };
};

export type EventConsumer = {
  isReady(): boolean;
  /** Takes no more jobs, waits for those under way, gives up on a Redis that is away. */
  close(): Promise<void>;
};

/**
 * @param handle called side by side for single events
 * @param onFailed told what `handle` threw; the sweep finds the events of that job
 */
export const openEventConsumer = (
  { prefix, url, certificates, ...listener }: QueueOptions,
  handle: (event: UnpublishedEvent) => Promise<void>,
  onFailed: (error: Error) => void,
): EventConsumer => {
  const redis = connectWorker({ url, certificates });
  const work = async ({ data }: Job) => {
    await Promise.all(eventsJobSchema.parse(data).map(handle));
  };
  const worker = new Worker(QUEUE, work, {
    connection: redis,
    prefix,
    concurrency: CONCURRENCY,
    maxStalledCount: MAX_STALLED_COUNT,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
    skipVersionCheck: true,
  });
  const { isReady, stop } = watchAvailability(redis, prefix, [redis, worker], listener);
  worker.on('failed', (_job, error) => onFailed(error));

  return {
    isReady,
    async close() {
      stop();
      await within(worker.close(!isReady()).catch(ignore), CLOSE_TIMEOUT);
      disconnect(redis);
    },
  };
};
