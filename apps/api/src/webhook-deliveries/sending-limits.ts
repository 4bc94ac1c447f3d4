import type { ResourceLimit } from '@chairside/domain';
import type { Limit, RateLimiter } from '@chairside/queue';
import { callLimit, countCall } from '../http/rate-limit-refusal.ts';

type Asked = 'test' | 'redelivery' | 'redeliveries';

/**
 * The limits of requested deliveries for each subscription. They exist because each delivery is a POST to the
 * server of a third party.
 */
const LIMITS: Record<Asked, Limit & { id: string; what: string }> = {
  test: { id: 'tests', what: 'tests', calls: 30, seconds: 60 },
  redelivery: { id: 'redeliveries', what: 'redeliveries of single deliveries', calls: 600, seconds: 60 },
  redeliveries: {
    id: 'bulk_redeliveries',
    what: 'bulk redeliveries',
    calls: 10,
    seconds: 3600,
  },
};

export const sendingLimits: readonly ResourceLimit[] = Object.values(LIMITS).map(({ id, what, ...limit }) =>
  callLimit(id, 'Webhooks', `Requests for ${what} of one subscription`, limit),
);

/**
 * Returns a function that counts a request for a test, a redelivery or a bulk redelivery of a subscription.
 *
 * @throws {Refusal} TooManyRequests
 */
export const countSending =
  (limiter: Pick<RateLimiter, 'take'>) =>
  async (asked: Asked, subscriptionId: string): Promise<void> => {
    const { id, what, ...limit } = LIMITS[asked];
    await countCall(limiter, `${id}:${subscriptionId}`, limit, {
      limit: id,
      what: `At most ${limit.calls} ${what} of a subscription can be requested in ${limit.seconds} s.`,
    });
  };
export type CountSending = ReturnType<typeof countSending>;
