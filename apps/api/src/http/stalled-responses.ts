import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import type { ResourceLimit } from '@chairside/domain';
import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../metrics.ts';

/** How long an answer may move no byte before its connection is broken, in milliseconds. */
const STALL_TIMEOUT = 30_000;
/** How often answers are looked at, in milliseconds. */
const CHECK_INTERVAL = 1000;
/** The least that a reader takes on average while bytes wait for it, in bytes a second, once it has kept them waiting for a while. */
const MIN_RATE = 16_384;
const RATE_AFTER = 60_000;
/** The most bytes of all answers that wait for their readers. */
const MAX_WAITING_BYTES = 128 * 1024 * 1024;

export const stallLimits: readonly ResourceLimit[] = [
  {
    id: 'stalled_answer',
    part: 'Reading',
    resource: 'Time in which an answer moves no byte',
    value: STALL_TIMEOUT / 1000,
    unit: 's',
    beyond: 'the connection is broken',
    metric: 'chairside_api_answers_broken_total',
  },
  {
    id: 'slow_answer',
    part: 'Reading',
    resource: 'Least that a reader takes on average, once bytes have waited for it for 60 s',
    value: MIN_RATE / 1024,
    unit: 'KiB a second',
    beyond: 'the connection is broken',
    metric: 'chairside_api_answers_broken_total',
  },
  {
    id: 'unread_bytes',
    part: 'Reading',
    resource: 'Bytes of all answers that wait for their readers',
    value: MAX_WAITING_BYTES / 2 ** 20,
    unit: 'MiB in each process',
    beyond: 'the connections of those that have moved no byte for longest are broken',
    metric: 'chairside_api_answers_broken_total',
  },
];

/** A clock in milliseconds, and how often it is looked at. */
export type Watch = { now(): number; interval: number };
const realTime: Watch = { now: () => performance.now(), interval: CHECK_INTERVAL };

/** How far an answer has come. Times are by the clock of the watch. */
type Progress = {
  /** Bytes that the system had accepted of its connection, at the last look and at the first. */
  sent: number;
  begun: number;
  /** Since when no byte has moved. */
  since: number;
  /** How long bytes have waited for the reader, in milliseconds: what is not made yet is not the reader's fault. */
  waited: number;
  /** When it was looked at last. */
  seen: number;
};

/**
 * Breaks the connection of an answer that moves no byte: what waits to be sent holds memory, and a list its stream, for
 * as long as its reader likes. Bytes have moved when the system has accepted a whole write, so that a reader cannot keep a
 * stream by taking a byte now and then.
 */
export const breakStalledAnswers = (
  app: FastifyInstance,
  metrics: Pick<Metrics, 'broke'>,
  { now, interval }: Watch = realTime,
): void => {
  const answers = new Map<ServerResponse, Progress>();
  const end = ({ socket }: ServerResponse): void => {
    metrics.broke();
    socket?.destroy();
  };

  app.addHook('onSend', (_request, { raw }, payload, done) => {
    answers.set(raw, { sent: -1, begun: -1, since: now(), waited: 0, seen: now() });
    // The hook onResponse does not run for an answer that was broken off.
    finished(raw, () => answers.delete(raw));
    done(null, payload);
  });

  /** The answers that wait for their readers, those that have moved no byte for longest first. */
  const look = (): ServerResponse[] => {
    const time = now();
    const waiting: ServerResponse[] = [];
    for (const [answer, progress] of answers) {
      const { socket } = answer;
      const { seen } = progress;
      progress.seen = time;
      // A pipelined answer has no socket before the answer ahead of it has ended.
      const sent = socket === null ? -1 : socket.bytesWritten - socket.writableLength;
      if (socket === null || sent !== progress.sent) {
        if (progress.begun === -1) progress.begun = sent;
        Object.assign(progress, { sent, since: time });
      }
      if (socket === null || socket.writableLength === 0) continue;
      progress.waited += time - seen;
      const isSlow =
        progress.waited > RATE_AFTER && (sent - progress.begun) * 1000 < MIN_RATE * progress.waited;
      if (isSlow || time - progress.since > STALL_TIMEOUT) end(answer);
      else waiting.push(answer);
    }
    return waiting.toSorted((one, other) => sinceOf(one) - sinceOf(other));
  };
  const sinceOf = (answer: ServerResponse): number => answers.get(answer)?.since ?? 0;

  const check = (): void => {
    const waiting = look();
    let bytes = waiting.reduce((sum, { socket }) => sum + (socket?.writableLength ?? 0), 0);
    for (const answer of waiting) {
      if (bytes <= MAX_WAITING_BYTES) return;
      bytes -= answer.socket?.writableLength ?? 0;
      end(answer);
    }
  };
  const timer = setInterval(check, interval);
  timer.unref();
  app.addHook('onClose', async () => clearInterval(timer));
};
