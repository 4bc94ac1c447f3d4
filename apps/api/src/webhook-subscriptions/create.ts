import {
  type AllowedNetworks,
  clock,
  MAX_SUBSCRIPTIONS_PER_CLINIC,
  type Subscription,
  type SubscriptionCreate,
  subscriptionUrlProblem,
  validationError,
} from '@chairside/domain';
import type { OrganizationStore } from '@chairside/mongodb';
import { requireReferences } from '../records/references.ts';

/** @returns the subscription with its secret, which no other route returns */
export const createSubscription = async (
  store: OrganizationStore,
  allowed: AllowedNetworks,
  sent: SubscriptionCreate,
): Promise<Subscription & { secret: string }> => {
  const problem = subscriptionUrlProblem(sent.url, allowed);
  await requireReferences(store, sent, problem === undefined ? [] : [{ path: 'url', message: problem }]);
  const created = await store.subscriptions.create(sent, clock.now());
  if (created === undefined) {
    const message = `already has ${MAX_SUBSCRIPTIONS_PER_CLINIC} subscriptions, the maximum of a clinic; delete one first`;
    throw validationError([{ path: 'clinicId', message }]);
  }
  return created;
};
