import {
  causesInWords,
  FAILING_NOTICE_MS,
  type FailureCause,
  MAX_CONSECUTIVE_FAILURES,
  type Receiver,
  SLOWED_FROM_FAILURES,
} from '@chairside/domain';
import { LRUCache } from 'lru-cache';
import type { Filter } from 'mongodb';
import type { Collection } from '../driver/database.ts';
import { atOnce, byId } from '../driver/statements.ts';
import type { Place, Secrets } from '../encryption/secrets.ts';
import { type ChainMember, currentMembers } from './chains.ts';
import { openHeaders, type SubscriptionDocument, secretPlace } from './subscriptions.ts';

/** Maximum number of failure causes that a subscription keeps for `disabledReason`. */
export const MAX_LAST_CAUSES = 5;
/**
 * Maximum length of the decrypted values in the cache together, in characters: 40,000 secrets, or fixed headers of 10 KiB for
 * 800 subscriptions. The cache avoids decrypting a secret for each delivery.
 */
const MAX_OPENED = 8_000_000;

/**
 * Results of attempts of a subscription that have not been counted yet. All attempts began in the same `activation`.
 */
export type Streak = {
  subscriptionId: string;
  activation: number;
  /** The number of failures after the last success. */
  failures: number;
  /** Whether there was a success before these failures. */
  succeeded: boolean;
  /** The causes of the last of these failures; the most recent is last. */
  lastCauses: FailureCause[];
  /** The tokens of the permits with which these failures were attempted. See `AttemptPermits`. */
  permits: readonly string[];
};

/** The pauses of a subscription that is slowed down, in milliseconds. */
export type PauseSettings = {
  /** The pause after the failure that slows the subscription down; 0 for no pauses. Each further one is twice as long. */
  firstMs: number;
  longestMs: number;
};

/** The state of an active subscription after failures were added. */
export type AddedFailures = {
  consecutiveFailures: number;
  /** Present if these failures disabled the subscription. */
  disabled?: DisabledSubscription;
};

/** A subscription that failures have disabled, with their last causes; the most recent is last. */
export type DisabledSubscription = Pick<SubscriptionDocument, 'organizationId' | 'clinicId'> & {
  lastCauses: FailureCause[];
};

/** A subscription whose stored data is unusable, and the problem. Nothing can be sent to it. */
export type UnusableReceiver = Omit<Receiver, 'secret' | 'url' | 'headers'> & { problem: string };

/** The receiver of a stored subscription, usable or not. */
export type StoredReceiver = Receiver | UnusableReceiver;

/**
 * A subscription with the fields that decide whether it wants an event. Of subscriptions that replace each other, one is
 * a candidate.
 */
export type Candidate = Pick<SubscriptionDocument, 'events'> & {
  receiver: StoredReceiver;
  /** The id of the first subscription of its chain. */
  chainId: string;
  /** When the first subscription of its chain was created. */
  chainCreatedTime: Date;
};

/** The subscriptions of all organizations, for the dispatcher. */
export type Receivers = {
  /** The subscriptions of these clinics that get events, and those that are disabled. */
  inClinics(clinics: readonly { organizationId: string; clinicId: string }[]): Promise<Candidate[]>;
  /** The subscriptions that still exist, by id. */
  find(ids: readonly string[]): Promise<Map<string, StoredReceiver>>;
  /**
   * Resets the streak of failures of subscriptions that had a success, unless they are disabled. If the administrators were
   * told of trouble, it has ended now.
   */
  clearStreaks(ids: readonly string[]): Promise<void>;
  /**
   * Adds failures to the streak of a subscription, in one atomic update. A long streak slows the subscription down, and
   * a longer one disables it. The permits of the failures end.
   *
   * @returns undefined if the failures do not count, because the subscription is disabled or was enabled again since
   */
  addFailures(streak: Streak, now: Date, pauses: PauseSettings): Promise<AddedFailures | undefined>;
  /**
   * Subtracts failures that our own outage caused. If the subscription would not be disabled without these failures, it
   * is enabled again.
   *
   * @returns the time at which the subscription was disabled, if this call enabled it
   */
  subtractFailures(
    streak: Pick<Streak, 'subscriptionId' | 'activation' | 'failures'>,
  ): Promise<Date | undefined>;
};

const FIELDS = {
  organizationId: 1,
  clinicId: 1,
  url: 1,
  payload: 1,
  headers: 1,
  active: 1,
  activation: 1,
  consecutiveFailures: 1,
  secret: 1,
  toldTrouble: 1,
  recoveredTime: 1,
} as const;
type ReceiverDocument = Pick<SubscriptionDocument, '_id' | keyof typeof FIELDS>;

/** The causes of `lastCauses` in words, each once, as an expression of the database. */
const causesInStore = {
  $reduce: {
    input: {
      $map: {
        input: '$lastCauses',
        as: 'cause',
        in: {
          $arrayElemAt: [
            { $literal: Object.values(causesInWords) },
            { $indexOfArray: [{ $literal: Object.keys(causesInWords) }, '$$cause'] },
          ],
        },
      },
    },
    initialValue: [],
    in: {
      $cond: [{ $in: ['$$this', '$$value'] }, '$$value', { $concatArrays: ['$$value', ['$$this']] }],
    },
  },
};
const reasonInStore = {
  $concat: [
    `Disabled after ${MAX_CONSECUTIVE_FAILURES} failed deliveries in a row. The last causes: `,
    {
      $reduce: {
        input: causesInStore,
        initialValue: '',
        in: { $concat: ['$$value', { $cond: [{ $eq: ['$$value', ''] }, '', '; '] }, '$$this'] },
      },
    },
    '.',
  ],
};

/** Whether a document has this field, as an expression of the database. */
const hasField = (field: string) => ({ $ne: [{ $ifNull: [field, null] }, null] });

/** Whether a success ends trouble that was told. */
const isRecovery = {
  $and: [
    hasField('$toldTrouble'),
    { $or: [{ $gt: ['$consecutiveFailures', 0] }, { $not: [hasField('$recoveredTime')] }] },
  ],
};
/** The update after a success. */
const clearedInStore = [
  {
    $set: {
      consecutiveFailures: 0,
      recoveredTime: { $cond: [isRecovery, '$$NOW', '$$REMOVE'] },
      noticeAt: {
        $cond: [isRecovery, '$$NOW', { $cond: [hasField('$untoldDisabling'), '$noticeAt', '$$REMOVE'] }],
      },
      failingSince: '$$REMOVE',
      pause: '$$REMOVE',
      permit: '$$REMOVE',
    },
  },
];

/** A disabling that is to be told, with what an earlier one that was not told has left. */
const untoldInStore = (now: Date) => ({
  since: { $ifNull: ['$untoldDisabling.since', now] },
  time: now,
  causes: '$lastCauses',
});

const isSlowedInStore = { $gte: ['$consecutiveFailures', SLOWED_FROM_FAILURES] };

/**
 * The pause after a failure, as an expression of the database.
 *
 * @param failure.isDoubled whether the attempt was made with a permit. Attempts that were in flight when the subscription was
 *   slowed down do not make its pause longer.
 * @param failure.isFirst whether a success preceded the failures
 */
const pauseAfter = (
  { isDoubled, isFirst }: { isDoubled: boolean; isFirst: boolean },
  { firstMs, longestMs }: PauseSettings,
) => {
  if (isFirst) return firstMs;
  const next = isDoubled
    ? { $multiply: [2, { $ifNull: ['$pause.ms', firstMs / 2] }] }
    : { $ifNull: ['$pause.ms', firstMs] };
  return { $min: [longestMs, next] };
};

/** The result of the call; undefined if it throws. */
const orUndefined = <T>(call: () => T): T | undefined => {
  try {
    return call();
  } catch {
    return undefined;
  }
};

export const openReceivers = (collection: Collection<SubscriptionDocument>, secrets: Secrets): Receivers => {
  /** The opened secrets and headers, by ciphertext. */
  const opened = new LRUCache<string, string, Place>({
    maxSize: MAX_OPENED,
    sizeCalculation: (value, ciphertext) => value.length + ciphertext.length + 1,
    memoMethod: (ciphertext, _stale, { context }) => secrets.decrypt(ciphertext, context),
  });
  const open: Pick<Secrets, 'decrypt'> = {
    decrypt: (ciphertext, context) => opened.memo(ciphertext, { context }),
  };

  const receiverOf = (document: ReceiverDocument): StoredReceiver => {
    const { secret, url, headers, toldTrouble, recoveredTime, ...fields } = document;
    const rest = { ...fields, isInTrouble: toldTrouble !== undefined && recoveredTime === undefined };
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      return { ...rest, problem: "The subscription's URL is not valid." };
    }
    // The messages of the errors are not used, because they contain the id of an encryption key, which means nothing to the
    // customer.
    const secretNow = orUndefined(() => open.decrypt(secret, secretPlace(document._id)));
    if (secretNow === undefined)
      return { ...rest, problem: "The subscription's secret cannot be decrypted." };
    const headersNow = orUndefined(() => openHeaders(document, open));
    if (headersNow === undefined)
      return { ...rest, problem: "The subscription's headers cannot be decrypted." };
    return { ...rest, url, secret: secretNow, headers: headersNow };
  };

  return {
    async inClinics(clinics) {
      const documents = await collection
        .find<ReceiverDocument & ChainMember & Pick<SubscriptionDocument, 'events' | 'createdTime'>>(
          {
            organizationId: { $in: [...new Set(clinics.map(({ organizationId }) => organizationId))] },
            clinicId: { $in: [...new Set(clinics.map(({ clinicId }) => clinicId))] },
          },
          { projection: { ...FIELDS, events: 1, createdTime: 1, chain: 1 } },
        )
        .toArray();
      return currentMembers(documents).map(({ events, createdTime, chain, ...document }) => ({
        events,
        chainId: chain?._id ?? document._id,
        chainCreatedTime: chain?.createdTime ?? createdTime,
        receiver: receiverOf(document),
      }));
    },

    async find(ids) {
      const documents = await collection
        .find<ReceiverDocument>(
          { _id: { $in: [...ids] } },
          { projection: FIELDS, ...byId, ...atOnce(ids.length) },
        )
        .toArray();
      return new Map(documents.map((document) => [document._id, receiverOf(document)]));
    },

    async clearStreaks(ids) {
      await collection.updateMany(
        {
          _id: { $in: [...ids] },
          active: true,
          $or: [
            { consecutiveFailures: { $gt: 0 } },
            { toldTrouble: { $exists: true }, recoveredTime: { $exists: false } },
          ],
        },
        clearedInStore,
        byId,
      );
    },

    async addFailures({ subscriptionId, activation, failures, succeeded, lastCauses, permits }, now, pauses) {
      const active: Filter<SubscriptionDocument> = { _id: subscriptionId, active: true, activation };
      const count = succeeded ? failures : { $add: ['$consecutiveFailures', failures] };
      const isLong = { $gte: ['$consecutiveFailures', MAX_CONSECUTIVE_FAILURES] };
      // Failures are usually stored one by one, so the document already contains the causes of earlier failures.
      const earlier = {
        $cond: [{ $gt: ['$consecutiveFailures', 0] }, { $ifNull: ['$lastCauses', []] }, []],
      };
      const causes = succeeded
        ? { $literal: lastCauses }
        : { $slice: [{ $concatArrays: [earlier, { $literal: lastCauses }] }, -MAX_LAST_CAUSES] };
      const pauseMs = pauseAfter({ isDoubled: permits.length > 0, isFirst: succeeded }, pauses);
      const isPaused = { $and: [pauses.firstMs > 0, isSlowedInStore, { $not: [isLong] }] };
      const isNewStreak = succeeded ? true : { $lte: ['$consecutiveFailures', 0] };
      const failingAt = new Date(now.getTime() + FAILING_NOTICE_MS);
      const endsPermit = {
        $or: [isLong, { $in: [{ $ifNull: ['$permit.token', ''] }, { $literal: [...permits] }] }],
      };
      const result = await collection.findOneAndUpdate(
        active,
        [
          {
            $set: {
              consecutiveFailures: count,
              lastCauses: causes,
              failingSince: { $cond: [isNewStreak, now, { $ifNull: ['$failingSince', now] }] },
              noticeAt: {
                $cond: [
                  isNewStreak,
                  { $min: [{ $ifNull: ['$noticeAt', failingAt] }, failingAt] },
                  '$noticeAt',
                ],
              },
            },
          },
          {
            $set: {
              active: { $not: [isLong] },
              untoldDisabling: { $cond: [isLong, untoldInStore(now), '$untoldDisabling'] },
              noticeAt: { $cond: [isLong, now, '$noticeAt'] },
              disabledTime: { $cond: [isLong, now, '$$REMOVE'] },
              disabledReason: { $cond: [isLong, reasonInStore, '$$REMOVE'] },
              pause: {
                $cond: [isPaused, { ms: pauseMs, until: { $add: ['$$NOW', pauseMs] } }, '$$REMOVE'],
              },
              permit: { $cond: [endsPermit, '$$REMOVE', '$permit'] },
            },
          },
        ],
        {
          returnDocument: 'after',
          projection: { active: 1, organizationId: 1, clinicId: 1, consecutiveFailures: 1, lastCauses: 1 },
        },
      );
      if (result === null) return undefined;
      const { organizationId, clinicId, consecutiveFailures, lastCauses: causesNow = [] } = result;
      if (result.active) return { consecutiveFailures };
      return { consecutiveFailures, disabled: { organizationId, clinicId, lastCauses: causesNow } };
    },

    async subtractFailures({ subscriptionId, activation, failures }) {
      const rest = { $max: [0, { $subtract: ['$consecutiveFailures', failures] }] };
      const wasLong = { $gte: ['$consecutiveFailures', MAX_CONSECUTIVE_FAILURES] };
      const isShort = { $lt: [rest, MAX_CONSECUTIVE_FAILURES] };
      const isSlow = { $gte: [rest, SLOWED_FROM_FAILURES] };
      // An operator who disables a subscription does not change the count. So if the count has reached the limit,
      // failures disabled the subscription.
      const enables = { $and: [{ $not: ['$active'] }, wasLong, isShort] };
      const before = await collection.findOneAndUpdate(
        { _id: subscriptionId, activation },
        [
          {
            $set: {
              active: { $or: ['$active', enables] },
              disabledTime: { $cond: [enables, '$$REMOVE', '$disabledTime'] },
              disabledReason: { $cond: [enables, '$$REMOVE', '$disabledReason'] },
              consecutiveFailures: rest,
              failingSince: { $cond: [{ $gt: [rest, 0] }, '$failingSince', '$$REMOVE'] },
              // Nobody is told of a disabling by our own outage.
              untoldDisabling: { $cond: [enables, '$$REMOVE', '$untoldDisabling'] },
              pause: { $cond: [isSlow, '$pause', '$$REMOVE'] },
              permit: { $cond: [isSlow, '$permit', '$$REMOVE'] },
              // It is unknown which of the causes belong to our own outage.
              lastCauses: [],
            },
          },
        ],
        { returnDocument: 'before', projection: { active: 1, consecutiveFailures: 1, disabledTime: 1 } },
      );
      if (before === null || before.active) return undefined;
      const { consecutiveFailures: count, disabledTime } = before;
      const isEnabled = count >= MAX_CONSECUTIVE_FAILURES && count - failures < MAX_CONSECUTIVE_FAILURES;
      return isEnabled ? disabledTime : undefined;
    },
  };
};
