import {
  type AllowedNetworks,
  clock,
  conflict,
  MAX_SUBSCRIPTIONS_PER_CLINIC,
  MAX_WITH_REPLACEMENTS_PER_CLINIC,
  type Refusal,
  type SubscriptionCreate,
  type SubscriptionReplacement,
  subscriptionUrlProblem,
  validationError,
} from '@chairside/domain';
import type { CreatedSubscription, OrganizationStore, RefusedReplacement } from '@chairside/mongodb';
import { requireReferences } from '../records/references.ts';

/** The issues of a URL, by the policy of this installation. */
export const urlIssues = (url: string | undefined, allowed: AllowedNetworks) => {
  const problem = url === undefined ? undefined : subscriptionUrlProblem(url, allowed);
  return problem === undefined ? [] : [{ path: 'url', message: problem }];
};

const limitReached = (path: string, maximum: number): Refusal => {
  const message = `already has ${maximum} subscriptions, the maximum of a clinic; delete one first`;
  return validationError([{ path, message, code: 'limit_reached' }]);
};

const createOrdinary = async (
  store: OrganizationStore,
  sent: SubscriptionCreate,
): Promise<CreatedSubscription> => {
  const created = await store.subscriptions.create(sent, clock.now());
  if (created === undefined) throw limitReached('clinicId', MAX_SUBSCRIPTIONS_PER_CLINIC);
  return created;
};

const refusalOf = (replaces: string, refused: RefusedReplacement): Refusal => {
  switch (refused.refused) {
    case 'limitReached':
      return limitReached('replaces', MAX_WITH_REPLACEMENTS_PER_CLINIC);
    case 'isPending':
      return conflict(
        'replacement_pending',
        `Subscription ${replaces} is itself a replacement that was never enabled. Enable it, or delete it and replace the other one again.`,
      );
    case 'hasReplacement':
      return conflict(
        'replacement_exists',
        `Subscription ${refused.by} replaces it already. Enable, replace or delete that one.`,
        { details: { replacedBy: refused.by } },
      );
  }
};

const createReplacement = async (
  store: OrganizationStore,
  { replaces, clinicId, url, events }: SubscriptionReplacement,
): Promise<CreatedSubscription> => {
  const replaced = await store.subscriptions.find(replaces);
  const missing = {
    path: 'replaces',
    message: 'must be the id of a subscription in your organization',
    code: 'not_found',
  } as const;
  if (replaced === undefined) throw validationError([missing]);
  if (clinicId !== undefined && clinicId !== replaced.clinicId) {
    const message = 'must be the clinic of the replaced subscription, or absent';
    throw validationError([{ path: 'clinicId', message, code: 'read_only' }]);
  }
  const created = await store.subscriptions.replace(replaces, { url, events }, clock.now());
  if (created === undefined) throw validationError([missing]);
  if ('refused' in created) throw refusalOf(replaces, created);
  return created;
};

/** @returns the subscription with its secret, which no other route returns */
export const createSubscription = async (
  store: OrganizationStore,
  allowed: AllowedNetworks,
  sent: SubscriptionCreate | SubscriptionReplacement,
): Promise<CreatedSubscription> => {
  await requireReferences(store, sent, urlIssues(sent.url, allowed));
  return 'replaces' in sent ? createReplacement(store, sent) : createOrdinary(store, sent);
};
