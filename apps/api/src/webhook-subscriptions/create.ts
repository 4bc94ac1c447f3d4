import {
  type AllowedNetworks,
  clock,
  conflict,
  type FixedHeaders,
  HIDDEN_VALUE,
  type Issue,
  MAX_SUBSCRIPTIONS_PER_CLINIC,
  MAX_WITH_REPLACEMENTS_PER_CLINIC,
  type Refusal,
  type SubscriptionCreate,
  type SubscriptionReplacement,
  subscriptionUrlProblem,
  unknownHeaders,
  validationError,
} from '@chairside/domain';
import type { CreatedSubscription, OrganizationStore, RefusedReplacement } from '@chairside/mongodb';
import { requireReferences } from '../records/references.ts';

/** The issues of a URL, by the policy of this installation. */
export const urlIssues = (url: string | undefined, allowed: AllowedNetworks) => {
  const problem = url === undefined ? undefined : subscriptionUrlProblem(url, allowed);
  return problem === undefined ? [] : [{ path: 'url', message: problem }];
};

/** The issues of fixed headers that are to keep a value which is not stored. */
export const headerIssues = (sent: FixedHeaders | undefined, known: FixedHeaders = {}): Issue[] =>
  unknownHeaders(known, sent).map((name) => ({
    path: `headers.${name}`,
    message: `must have its value: ${HIDDEN_VALUE} keeps a value, and none is stored under this name`,
  }));

/** @throws {Refusal} if fixed headers are to keep a value which is not stored */
export const requireStored = (sent: FixedHeaders | undefined, known: FixedHeaders): void => {
  const issues = headerIssues(sent, known);
  if (issues.length > 0) throw validationError(issues);
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
  { replaces, clinicId, active, ...sent }: SubscriptionReplacement,
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
  const created = await store.subscriptions.replace(replaces, sent, clock.now(), ({ headers }) =>
    requireStored(sent.headers, headers),
  );
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
  const unknown = 'replaces' in sent ? [] : headerIssues(sent.headers);
  await requireReferences(store, sent, [...urlIssues(sent.url, allowed), ...unknown]);
  return 'replaces' in sent ? createReplacement(store, sent) : createOrdinary(store, sent);
};
