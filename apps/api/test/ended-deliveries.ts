import type { Attempt } from '@chairside/domain';
import type { TestApi } from './api.ts';

/**
 * Ends every queued delivery as the dispatcher does.
 *
 * @param response what the receivers respond with
 */
export const endDeliveries = async (
  { store, database }: Pick<TestApi, 'store' | 'database'>,
  response: Pick<Attempt, 'responseBody' | 'responseHeaders'> = {},
): Promise<void> => {
  const { deliveries } = store.everyOrganization;
  const queued = await database
    .collection<{ _id: string; organizationId: string }>('deliveries')
    .find({ status: 'queued' })
    .toArray();
  const claimed = await deliveries.claim(queued, 'token', 'worker');
  const now = new Date();
  const outcome = { outcome: 'succeeded', attemptTime: now, duration: 1, timings: {}, ...response } as const;
  await deliveries.finish(
    claimed.map((delivery) => ({ delivery, outcome })),
    now,
  );
};
