import { batched, within } from '@chairside/concurrency';
import {
  EVENTS_JOB_VERSION,
  type EventsJob,
  eventsJobSchema,
  type ResourceLimit,
  type UnpublishedEvent,
} from '@chairside/domain';
import { type Job, Queue, Worker } from 'bullmq';
import { type AvailabilityListener, watchAvailability } from './availability.ts';
import { connectProducer, connectWorker, disconnect, type RedisServer } from './connection.ts';

const QUEUE = 'events';
/** Maximum number of events in a job. */
const MAX_EVENTS = 200;
/**
 * Maximum number of events that wait for a job. While Redis hangs, a job takes half a second or longer, so the sweep would
 * find further events earlier.
 */
const MAX_WAITING = 10 * MAX_EVENTS;
/**
 * Maximum number of jobs that wait in Redis while no dispatcher takes them. The sweep finds the events of further ones. The
 * limit protects the memory of Redis.
 */
const MAX_JOBS = 100_000;
/** How often a producer counts the waiting jobs. */
const COUNT_INTERVAL_MS = 1000;
/** How long adding a job may take before the producer gives up. The sweep then finds its events. */
const ADD_TIMEOUT_MS = 1000;
/** How long closing may take. An unreachable Redis delays a shutdown by at most this time. */
const CLOSE_TIMEOUT_MS = 2000;
/**
 * Maximum number of jobs that a consumer handles at once. With one job at a time, each job would wait for the round
 * trip that completes the previous job: in a measurement with more than 700 jobs per second, events were delayed by a
 * second. In a busy process, a round trip takes 100 ms.
 */
const CONCURRENCY = 100;
/** Maximum number of times that a job is restarted after its worker has crashed. Its work may be repeated. */
const MAX_STALLED_COUNT = 10;

/**
 * The default prefix of every key in Redis. Because of the braces, all keys with the prefix are on one node of a
 * cluster.
 */
export const DEFAULT_QUEUE_PREFIX = '{chairside}';

export type QueueOptions = AvailabilityListener & RedisServer & { prefix: string };

export const eventQueueLimits: readonly ResourceLimit[] = [
  {
    id: 'events_waiting',
    part: 'Webhooks',
    resource: 'Events that wait in memory until a job in Redis names them',
    value: MAX_WAITING,
    unit: 'in each process',
    beyond: 'the sweep finds the other events later',
    metric: 'chairside_oldest_unsent_event_age_seconds',
  },
  {
    id: 'jobs_waiting',
    part: 'Webhooks',
    resource: 'Jobs in Redis that wait for a dispatcher',
    value: MAX_JOBS,
    unit: 'jobs',
    beyond: 'the sweep finds the other events later',
    metric: 'chairside_oldest_unsent_event_age_seconds',
  },
];

/** Ignores an error. A lost job only delays its events, and the availability listener reports outages. */
const ignore = () => {};

/**
 * Notifies the dispatcher of new events. Notifications save time but are not guaranteed: the sweep finds the events of
 * lost notifications.
 */
export type EventProducer = {
  /**
   * Announces an event in the background. Events that are published at about the same time share jobs. The call never
   * throws and never waits.
   */
  publish(event: UnpublishedEvent): void;
  /** Whether Redis can be used, as far as this process knows. */
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

  let isFull = false;
  const countJobs = async (): Promise<void> => {
    isFull = isReady() && (await queue.getWaitingCount().catch(() => 0)) >= MAX_JOBS;
  };
  const counting = setInterval(countJobs, COUNT_INTERVAL_MS);

  const add = batched<UnpublishedEvent, void>(async (events) => {
    // While Redis is unreachable, `add` would wait for it, and waiting jobs would accumulate.
    if (!isReady() || isFull) return [];
    const job: EventsJob = { version: EVENTS_JOB_VERSION, events };
    const adding = queue.add('events', job, { removeOnComplete: true, removeOnFail: true });
    await within(adding.catch(ignore), ADD_TIMEOUT_MS);
    return [];
  }, MAX_EVENTS);
  let waiting = 0;

  return {
    publish(event) {
      if (waiting >= MAX_WAITING) return;
      waiting++;
      void add(event).finally(() => waiting--);
    },
    isReady,
    async close() {
      stop();
      clearInterval(counting);
      if (isReady()) await within(queue.close().catch(ignore), CLOSE_TIMEOUT_MS);
      disconnect(redis);
    },
  };
};

export type EventConsumer = {
  isReady(): boolean;
  /** Accepts no more jobs, and waits at most 2 s for the jobs in progress. Does not wait for an unreachable Redis. */
  close(): Promise<void>;
};

/**
 * @param handle called for each event; calls run concurrently
 * @param onFailed called with the error of a job that failed; the sweep later finds the events of that job
 */
export const openEventConsumer = (
  { prefix, url, certificates, ...listener }: QueueOptions,
  handle: (event: UnpublishedEvent) => Promise<void>,
  onFailed: (error: Error) => void,
): EventConsumer => {
  const redis = connectWorker({ url, certificates });
  const work = async ({ data }: Job) => {
    await Promise.all(eventsJobSchema.parse(data).events.map(handle));
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
      await within(worker.close(!isReady()).catch(ignore), CLOSE_TIMEOUT_MS);
      disconnect(redis);
    },
  };
};
