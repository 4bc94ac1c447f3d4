import {
  type AllowedNetworks,
  clock,
  conflict,
  notFound,
  type Subscription,
  type SubscriptionUpdate,
  subscriptionUrlProblem,
  validationError,
} from '@chairside/domain';
import type { Subscriptions } from '@chairside/mongodb';
import { headerIssues, requireStored } from './create.ts';

/**
 * @param current the subscription before the update; undefined if it does not exist
 * @param check throws if the caller has read another version
 */
export const updateSubscription = async (
  subscriptions: Subscriptions,
  allowed: AllowedNetworks,
  id: string,
  current: Subscription | undefined,
  sent: SubscriptionUpdate,
  check: (current: Subscription) => void,
): Promise<Subscription> => {
  if (current === undefined) throw notFound();
  const { clinicId, url, events, payload, headers, active } = sent;
  const problem = url === undefined ? undefined : subscriptionUrlProblem(url, allowed);
  check(current);
  if (active === true && current.replacedBy !== undefined) {
    const { replacedBy } = current;
    throw conflict(
      'subscription_replaced',
      `Subscription ${replacedBy} has replaced this one and gets its events. To enable this one again, delete that one first.`,
      { details: { replacedBy } },
    );
  }
  const moved = clinicId !== undefined && clinicId !== current.clinicId;
  const unknown = headerIssues(headers, current.headers);
  if (moved || problem !== undefined || unknown.length > 0) {
    throw validationError([
      ...unknown,
      ...(moved
        ? [
            {
              path: 'clinicId',
              message: 'cannot be changed; create another subscription instead',
              code: 'read_only',
            } as const,
          ]
        : []),
      ...(problem === undefined ? [] : [{ path: 'url', message: problem }]),
    ]);
  }
  const updated = await subscriptions.update(
    id,
    { url, events, payload, headers, active },
    clock.now(),
    (now) => {
      check(now);
      requireStored(headers, now.headers);
    },
  );
  if (updated === undefined) throw notFound();
  return updated;
};
