import { SLOWED_FROM_FAILURES } from '@chairside/domain';
import type { Collection } from '../driver/database.ts';
import { updatesUntilNoDeadlock } from '../driver/ferretdb.ts';
import { atOnce, byId, CLOCK_LEAP_MS } from '../driver/statements.ts';
import type { SubscriptionDocument } from './subscriptions.ts';

/** How long a turn counts if it is not given back: longer than an attempt and the storing of its outcome. */
const TURN_LIFE_MS = 30_000;
/** The longest pause that can be configured: one hour. */
export const LONGEST_PAUSE_MS = 60 * 60_000;

export type TurnRequest = {
  subscriptionId: string;
  /** Whether the turn is for a test or a redelivery: an operator requested it, so it does not wait for the pause. */
  ignoresPause: boolean;
};

/** The response to a request for the turn of a subscription. */
export type TurnResponse = {
  isTaken: boolean;
  /** The failures in a row of the subscription; 0 if it is not active or does not exist. */
  consecutiveFailures: number;
  /** The rest of the pause, in milliseconds; 0 if there is none. */
  pauseMs: number;
  /** How long the turn of another process lasts at most, in milliseconds; 0 if there is none. */
  otherMs: number;
};

/**
 * The turns of the subscriptions that are slowed down. One dispatcher at a time has the turn of a subscription, and it
 * makes one attempt in its turn. {@link Receivers.addFailures} and {@link Receivers.clearStreaks} end a turn, too.
 */
export type AttemptTurns = {
  /**
   * Takes the turns that are free, each with one conditional update.
   *
   * @param token must be new for each call
   * @returns one response for each request, in the same order
   */
  take(requests: readonly TurnRequest[], token: string): Promise<TurnResponse[]>;
  /** Gives turns back. The pauses go on. */
  giveBack(turns: readonly { subscriptionId: string; token: string }[]): Promise<void>;
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

const toResponse = (found: Found | undefined, token: string): TurnResponse => {
  const isTaken = found?.token === token;
  return {
    isTaken,
    consecutiveFailures: found?.active ? found.consecutiveFailures : 0,
    pauseMs: restOf(found?.pauseMs, LONGEST_PAUSE_MS),
    otherMs: isTaken ? 0 : restOf(found?.otherMs, TURN_LIFE_MS),
  };
};

export const openAttemptTurns = (collection: Collection<SubscriptionDocument>): AttemptTurns => {
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
          $expr: { $not: [isAhead('$turn.until', TURN_LIFE_MS)] },
          $or: [{ _id: { $in: hasty } }, { $expr: { $not: [isAhead('$pause.until', LONGEST_PAUSE_MS)] } }],
        },
        [{ $set: { turn: { token: { $literal: token }, until: { $add: ['$$NOW', TURN_LIFE_MS] } } } }],
        byId,
      );
      const found = await collection
        .find<Found>(
          { _id: { $in: ids } },
          {
            projection: {
              active: 1,
              consecutiveFailures: 1,
              token: '$turn.token',
              otherMs: { $subtract: ['$turn.until', '$$NOW'] },
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

    async giveBack(turns) {
      await updateMany(
        {
          _id: { $in: turns.map(({ subscriptionId }) => subscriptionId) },
          'turn.token': { $in: [...new Set(turns.map(({ token }) => token))] },
        },
        { $unset: { turn: '' } },
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
