import {
  type AllowedNetworks,
  notFound,
  type Subscription,
  type SubscriptionUpdate,
  subscriptionUrlProblem,
  validationError,
} from '@chairside/domain';
import type { Subscriptions } from '@chairside/mongodb';
import { requireSameId } from '../http/path-id.ts';

export const updateSubscription = async (
  subscriptions: Subscriptions,
  allowed: AllowedNetworks,
  id: string,
  { _id, clinicId, url, events, active }: SubscriptionUpdate,
): Promise<Subscription> => {
  requireSameId(_id, id);
  const current = await subscriptions.find(id);
  if (current === undefined) throw notFound();
  const problem = url === undefined ? undefined : subscriptionUrlProblem(url, allowed);
  const moved = clinicId !== undefined && clinicId !== current.clinicId;
  if (moved || problem !== undefined) {
    throw validationError([
      ...(moved
        ? [{ path: 'clinicId', message: 'cannot be changed; create another subscription instead' }]
        : []),
      ...(problem === undefined ? [] : [{ path: 'url', message: problem }]),
    ]);
  }
  const updated = await subscriptions.update(id, { url, events, active }, new Date());
  if (updated === undefined) throw notFound();
  return updated;
};
