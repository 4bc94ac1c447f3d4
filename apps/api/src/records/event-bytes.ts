import { isOfClinics, type ResourceLimit } from '@chairside/domain';
import type { FastifyReply } from 'fastify';
import { DEFAULT_EVENT_BYTES } from '../config.ts';
import type { Dependencies } from '../context.ts';
import { tooManyRequests } from '../http/rate-limit-refusal.ts';
import type { WriteCall } from './write-call.ts';

/** The window of the limit, in seconds. */
const WINDOW = 60;

export const eventByteLimits: readonly ResourceLimit[] = [
  {
    id: 'event_bytes',
    part: 'Writing',
    resource: 'Event bodies that the writes of one organization store (`EVENT_BYTES_PER_MINUTE`)',
    value: DEFAULT_EVENT_BYTES / 2 ** 20,
    unit: 'MiB per minute',
    beyond: '429 TooManyRequests',
    metric: 'chairside_api_event_bytes_share',
  },
];

/**
 * Limits the bytes that the writes of an organization store, because every write stores its record as an event for 30
 * days.
 */
export type EventBytes = {
  /** @throws {Refusal} TooManyRequests */
  take(call: WriteCall, body: string): Promise<void>;
};

/** Adds an item to a header that is a list. */
export const append = (reply: FastifyReply, name: string, item: string): void => {
  const before = reply.getHeader(name);
  reply.header(name, before === undefined ? item : `${before}, ${item}`);
};

/** The limit of one organization is that of the settings, in bytes of event bodies per minute. */
export const openEventBytes = ({
  limiter,
  metrics,
  config: { EVENT_BYTES_PER_MINUTE: perMinute },
}: Pick<Dependencies, 'limiter' | 'metrics' | 'config'>): EventBytes => {
  const limit = { calls: perMinute, seconds: WINDOW, inAdvance: true };
  return {
    async take({ request, reply, row }, body) {
      const { organizationId } = request.principal;
      const bytes = Buffer.byteLength(body);
      const { isAllowed, remaining, resetSeconds } = await limiter.take(
        `event-bytes:${organizationId}`,
        limit,
        bytes,
      );
      metrics.eventBytes({
        organizationId,
        bytes: isAllowed ? bytes : 0,
        share: 1 - remaining / perMinute,
        resetSeconds,
      });
      // What is left tells what other clinics write.
      if (row === undefined && !isOfClinics(request.principal)) {
        append(reply, 'RateLimit-Policy', `"event-bytes";q=${perMinute};w=${WINDOW};qu="content-bytes"`);
        append(reply, 'RateLimit', `"event-bytes";r=${remaining};t=${resetSeconds}`);
      }
      if (isAllowed) return;
      throw tooManyRequests(
        'event_bytes',
        `The writes of your organization may produce at most ${perMinute} bytes of events in ${WINDOW} s.`,
        { resetSeconds },
      );
    },
  };
};
