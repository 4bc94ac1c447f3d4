import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import type { ResourceLimit } from '@chairside/domain';
import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../metrics.ts';

/** How long an answer may move no byte before its connection is broken, in milliseconds. */
const STALL_TIMEOUT = 30_000;
/** How often answers are looked at, in milliseconds. */
const CHECK_INTERVAL = 1000;

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
];

/** A clock in milliseconds, and how often it is looked at. */
export type Watch = { now(): number; interval: number };
const realTime: Watch = { now: () => performance.now(), interval: CHECK_INTERVAL };

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
  const answers = new Map<ServerResponse, { sent: number; since: number }>();

  app.addHook('onSend', (_request, { raw }, payload, done) => {
    answers.set(raw, { sent: -1, since: now() });
    // The hook onResponse does not run for an answer that was broken off.
    finished(raw, () => answers.delete(raw));
    done(null, payload);
  });

  const check = (): void => {
    const time = now();
    for (const [{ socket }, answer] of answers) {
      // A pipelined answer has no socket before the answer ahead of it has ended.
      const sent = socket === null ? -1 : socket.bytesWritten - socket.writableLength;
      if (socket === null || sent !== answer.sent) Object.assign(answer, { sent, since: time });
      else if (time - answer.since > STALL_TIMEOUT) {
        metrics.broke();
        socket.destroy();
      }
    }
  };
  const timer = setInterval(check, interval);
  timer.unref();
  app.addHook('onClose', async () => clearInterval(timer));
};
