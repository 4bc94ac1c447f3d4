import { SLOWED_FROM_FAILURES } from '@chairside/domain';
import type { Collection } from '../driver/database.ts';
import { updatesUntilNoDeadlock } from '../driver/ferretdb.ts';
import { atOnce, byId, CLOCK_LEAP_MS } from '../driver/statements.ts';
import type { SubscriptionDocument } from './subscriptions.ts';

/** How long a permit counts if it is not given back: longer than an attempt and the storing of its outcome. */
const PERMIT_LIFE_MS = 30_000;
/** The longest pause that can be configured: one hour. */
export const LONGEST_PAUSE_MS = 60 * 60_000;

export type PermitRequest = {
  subscriptionId: string;
  /** Whether the permit is for a test or a redelivery: an operator requested it, so it does not wait for the pause. */
  ignoresPause: boolean;
};

/** The response to a request for the permit of a subscription. */
export type PermitResponse = {
  isTaken: boolean;
  /** The failures in a row of the subscription; 0 if it is not active or does not exist. */
  consecutiveFailures: number;
  /** The rest of the pause, in milliseconds; 0 if there is none. */
  pauseMs: number;
  /** How long the permit of another process lasts at most, in milliseconds; 0 if there is none. */
  otherMs: number;
};

/**
 * The permits of the subscriptions that are slowed down. One dispatcher at a time has the permit of a subscription, and it
 * makes one attempt with its permit. {@link Receivers.addFailures} and {@link Receivers.clearStreaks} end a permit, too.
 */
export type AttemptPermits = {
  /**
   * Takes the permits that are free, each with one conditional update.
   *
   * @param token must be new for each call
   * @returns one response for each request, in the same order
   */
  take(requests: readonly PermitRequest[], token: string): Promise<PermitResponse[]>;
  /** Gives permits back. The pauses go on. */
  giveBack(permits: readonly { subscriptionId: string; token: string }[]): Promise<void>;
  /** Ends the pauses of these subscriptions, because their receivers have accepted a test or a redelivery. */
  endPauses(subscriptionIds: readonly string[]): Promise<void>;
};

/** Whether this time has not come yet, and was not written while the database's clock was ahead. */
const isAhead = (field: string, longestMs: number) => ({
  $and: [{ $gt: [field, '$$NOW'] }, { $lt: [field, { $add: ['$$NOW', longestMs + CLOCK_LEAP_MS] }] }],
});

type Found = Pick<SubscriptionDocument, '_id' | 'active' | 'consecutiveFailures'> & {
  token?: string;
  otherMs?: number | null;
  pauseMs?: number | null;
};

const restOf = (milliseconds: number | null | undefined, longest: number): number =>
  milliseconds && milliseconds > 0 && milliseconds < longest + CLOCK_LEAP_MS ? milliseconds : 0;

const toResponse = (found: Found | undefined, token: string): PermitResponse => {
  const isTaken = found?.token === token;
  return {
    isTaken,
    consecutiveFailures: found?.active ? found.consecutiveFailures : 0,
    pauseMs: restOf(found?.pauseMs, LONGEST_PAUSE_MS),
    otherMs: isTaken ? 0 : restOf(found?.otherMs, PERMIT_LIFE_MS),
  };
};

export const openAttemptPermits = (collection: Collection<SubscriptionDocument>): AttemptPermits => {
  const updateMany = updatesUntilNoDeadlock(collection);
  return {
    async take(requests, token) {
      const ids = requests.map(({ subscriptionId }) => subscriptionId);
      const hasty = requests
        .filter(({ ignoresPause }) => ignoresPause)
        .map(({ subscriptionId }) => subscriptionId);
      await updateMany(
        {
          _id: { $in: ids },
          active: true,
          consecutiveFailures: { $gte: SLOWED_FROM_FAILURES },
          $expr: { $not: [isAhead('$permit.until', PERMIT_LIFE_MS)] },
          $or: [{ _id: { $in: hasty } }, { $expr: { $not: [isAhead('$pause.until', LONGEST_PAUSE_MS)] } }],
        },
        [{ $set: { permit: { token: { $literal: token }, until: { $add: ['$$NOW', PERMIT_LIFE_MS] } } } }],
        byId,
      );
      const found = await collection
        .find<Found>(
          { _id: { $in: ids } },
          {
            projection: {
              active: 1,
              consecutiveFailures: 1,
              token: '$permit.token',
              otherMs: { $subtract: ['$permit.until', '$$NOW'] },
              pauseMs: { $subtract: ['$pause.until', '$$NOW'] },
            },
            ...byId,
            ...atOnce(ids.length),
          },
        )
        .toArray();
      const documents = new Map(found.map((document) => [document._id, document]));
      return ids.map((id) => toResponse(documents.get(id), token));
    },

    async giveBack(permits) {
      await updateMany(
        {
          _id: { $in: permits.map(({ subscriptionId }) => subscriptionId) },
          'permit.token': { $in: [...new Set(permits.map(({ token }) => token))] },
        },
        { $unset: { permit: '' } },
        byId,
      );
    },

    async endPauses(subscriptionIds) {
      await updateMany(
        { _id: { $in: [...subscriptionIds] }, pause: { $exists: true } },
        { $unset: { pause: '' } },
        byId,
      );
    },
  };
};
