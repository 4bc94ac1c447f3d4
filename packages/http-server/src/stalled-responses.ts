import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import type { ResourceLimit } from '@chairside/domain';
import type { FastifyInstance } from 'fastify';

/** How long a response that has bytes to send may send none before its connection is closed. */
const STALL_TIMEOUT_MS = 30_000;
/** How often responses are checked. */
const CHECK_INTERVAL_MS = 1000;
/**
 * The lowest average rate at which a reader must read while bytes wait for it, in bytes per second. It applies after
 * bytes have waited for `RATE_AFTER_MS`.
 */
const MIN_RATE = 16_384;
const RATE_AFTER_MS = 60_000;
/** Maximum number of unsent bytes in a process, of all responses together. */
const MAX_WAITING_BYTES = 128 * 1024 * 1024;

export const stallLimits: readonly ResourceLimit[] = [
  {
    id: 'stalled_response',
    part: 'Reading',
    resource: 'Time in which a response has bytes to send and sends none',
    value: STALL_TIMEOUT_MS / 1000,
    unit: 's',
    beyond: 'the connection is closed',
    metric: 'chairside_api_responses_aborted_total',
  },
  {
    id: 'slow_response',
    part: 'Reading',
    resource:
      'Lowest average rate at which a reader may read, once bytes have waited for it for 60 s in total',
    value: MIN_RATE / 1024,
    unit: 'KiB per second',
    beyond: 'the connection is closed',
    metric: 'chairside_api_responses_aborted_total',
  },
  {
    id: 'unread_bytes',
    part: 'Reading',
    resource: 'Unsent bytes of all responses together',
    value: MAX_WAITING_BYTES / 2 ** 20,
    unit: 'MiB in each process',
    beyond: 'the connections that have sent no byte for the longest time are closed',
    metric: 'chairside_api_responses_aborted_total',
  },
];

/**
 * Counts the responses whose connection was closed because the reader was too slow, or because too many bytes waited.
 */
export type StallMetrics = { closedStalled(): void };

/** A clock in milliseconds, and the interval between checks. */
export type Watch = { now(): number; interval: number };
const realTime: Watch = { now: () => performance.now(), interval: CHECK_INTERVAL_MS };

/** The progress of a response. Times are read from the clock of `Watch`. */
type Progress = {
  /**
   * The number of bytes of the connection that the operating system had accepted at the last check, and at the first
   * check. -1 before the response has a connection.
   */
  sent: number;
  sentAtFirst: number;
  /** When the operating system last accepted a byte. */
  since: number;
  /** How long bytes have waited for the reader. Time in which there were no bytes to send does not count. */
  waitedMs: number;
  /** The time of the last check. */
  seen: number;
};

/**
 * Updates the progress of a response.
 *
 * @returns whether its reader is too slow; undefined if no bytes wait for the reader
 */
const isTooSlow = ({ socket }: ServerResponse, progress: Progress, time: number): boolean | undefined => {
  const { seen } = progress;
  progress.seen = time;
  // A pipelined response has no socket until the response before it has ended.
  const sent = socket === null ? -1 : socket.bytesWritten - socket.writableLength;
  if (socket === null || sent !== progress.sent) {
    if (progress.sentAtFirst === -1) progress.sentAtFirst = sent;
    Object.assign(progress, { sent, since: time });
  }
  if (socket === null || socket.writableLength === 0) return undefined;
  progress.waitedMs += time - seen;
  const isSlow = (sent - progress.sentAtFirst) * 1000 < MIN_RATE * progress.waitedMs;
  return (progress.waitedMs > RATE_AFTER_MS && isSlow) || time - progress.since > STALL_TIMEOUT_MS;
};

/**
 * Closes the connection of a response that has bytes to send and sends none, or that is read too slowly. Otherwise a
 * reader could occupy memory with unsent bytes, and keep the stream of a list open, without end. A byte counts as sent
 * when the operating system has accepted a whole write, so a reader cannot keep a stream open by reading a byte now and
 * then.
 */
export const closeStalledResponses = (
  app: FastifyInstance,
  metrics: StallMetrics,
  { now, interval }: Watch = realTime,
): void => {
  const responses = new Map<ServerResponse, Progress>();
  const end = ({ socket }: ServerResponse): void => {
    metrics.closedStalled();
    socket?.destroy();
  };

  app.addHook('onSend', (_request, { raw }, payload, done) => {
    responses.set(raw, { sent: -1, sentAtFirst: -1, since: now(), waitedMs: 0, seen: now() });
    // The hook onResponse does not run for a response whose connection was closed.
    finished(raw, () => responses.delete(raw));
    done(null, payload);
  });

  /**
   * Closes stalled and slow responses.
   *
   * @returns the other responses with unsent bytes, the one that has made no progress for the longest time first
   */
  const closeStalled = (): ServerResponse[] => {
    const time = now();
    const waiting: ServerResponse[] = [];
    for (const [response, progress] of responses) {
      const mustEnd = isTooSlow(response, progress, time);
      if (mustEnd === true) end(response);
      else if (mustEnd === false) waiting.push(response);
    }
    return waiting.toSorted((one, other) => sinceOf(one) - sinceOf(other));
  };
  const sinceOf = (response: ServerResponse): number => responses.get(response)?.since ?? 0;

  const check = (): void => {
    const waiting = closeStalled();
    let bytes = waiting.reduce((sum, { socket }) => sum + (socket?.writableLength ?? 0), 0);
    for (const response of waiting) {
      if (bytes <= MAX_WAITING_BYTES) return;
      bytes -= response.socket?.writableLength ?? 0;
      end(response);
    }
  };
  const timer = setInterval(check, interval);
  timer.unref();
  app.addHook('onClose', async () => clearInterval(timer));
};
