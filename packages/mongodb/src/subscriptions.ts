import {
  type EventPattern,
  type FailureCause,
  MAX_CONSECUTIVE_FAILURES,
  MAX_SUBSCRIPTIONS_PER_CLINIC,
  newId,
  nextEditTime,
  type Receiver,
  type Subscription,
} from '@chairside/domain';
import type { Collection, Filter } from 'mongodb';
import { isDuplicateKey } from './database.ts';
import type { DeliveryDocument } from './deliveries.ts';
import { newSecret, type Secrets } from './secrets.ts';

export type SubscriptionDocument = {
  _id: string;
  organizationId: string;
  clinicId: string;
  /** 0 to 19, unique in its clinic: that is what limits their number, under two callers at once too. */
  slot: number;
  url: string;
  events: EventPattern[];
  active: boolean;
  /** Counts how often it was enabled. */
  activation: number;
  secret: string;
  createdTime: Date;
  lastEditTime: Date;
  consecutiveFailures: number;
  disabledTime?: Date;
  disabledReason?: string;
};

const SECRET_PREFIX = 'whsec_';
/** How many last Deliveries are looked up at once: a long list must not take all connections. */
const AT_ONCE = 20;
const withoutSecret = { secret: 0, slot: 0 } as const;

/** The subscriptions of one organization. */
export type Subscriptions = {
  list(): Promise<Subscription[]>;
  find(id: string): Promise<Subscription | undefined>;
  /** @returns undefined when the clinic has as many as it may have */
  create(
    sent: Pick<Subscription, 'clinicId' | 'url' | 'events' | 'active'>,
    now: Date,
  ): Promise<(Subscription & { secret: string }) | undefined>;
  update(
    id: string,
    changes: { url?: string | undefined; events?: EventPattern[] | undefined; active?: boolean | undefined },
    now: Date,
  ): Promise<Subscription | undefined>;
  delete(id: string): Promise<Subscription | undefined>;
};

type LastDelivery = { attemptTime?: Date; statusCode?: number };
type PublicDocument = Omit<SubscriptionDocument, 'secret' | 'slot'>;

const toSubscription = (document: PublicDocument, last: LastDelivery | null): Subscription => ({
  _id: document._id,
  clinicId: document.clinicId,
  url: document.url,
  events: document.events,
  active: document.active,
  createdTime: document.createdTime.toISOString(),
  lastEditTime: document.lastEditTime.toISOString(),
  consecutiveFailures: document.consecutiveFailures,
  ...(document.disabledTime && { disabledTime: document.disabledTime.toISOString() }),
  ...(document.disabledReason && { disabledReason: document.disabledReason }),
  ...(last?.attemptTime && { lastDeliveryTime: last.attemptTime.toISOString() }),
  ...(last?.statusCode !== undefined && { lastStatusCode: last.statusCode }),
});

/** @param organizationId bound into every query of the result */
export const subscriptionsOf = (
  collection: Collection<SubscriptionDocument>,
  deliveries: Collection<DeliveryDocument>,
  secrets: Secrets,
  organizationId: string,
): Subscriptions => {
  // Read from the Deliveries, so that a success need not be written to its subscription too.
  const withLastDelivery = async (document: PublicDocument): Promise<Subscription> =>
    toSubscription(
      document,
      await deliveries.findOne(
        { organizationId, subscriptionId: document._id, attemptTime: { $exists: true } },
        { sort: { attemptTime: -1 }, projection: { attemptTime: 1, statusCode: 1 } },
      ),
    );

  const find = async (id: string) => {
    const document = await collection.findOne({ _id: id, organizationId }, { projection: withoutSecret });
    return document === null ? undefined : withLastDelivery(document);
  };

  const freeSlots = async (clinicId: string): Promise<number[]> => {
    const taken = await collection.find({ organizationId, clinicId }, { projection: { slot: 1 } }).toArray();
    const used = new Set(taken.map(({ slot }) => slot));
    return Array.from({ length: MAX_SUBSCRIPTIONS_PER_CLINIC }, (_, slot) => slot).filter(
      (slot) => !used.has(slot),
    );
  };

  return {
    find,

    async list() {
      const documents = await collection
        .find({ organizationId }, { projection: withoutSecret, sort: { _id: 1 } })
        .toArray();
      const subscriptions: Subscription[] = [];
      for (let begin = 0; begin < documents.length; begin += AT_ONCE) {
        const group = documents.slice(begin, begin + AT_ONCE);
        subscriptions.push(...(await Promise.all(group.map(withLastDelivery))));
      }
      return subscriptions;
    },

    async create(sent, now) {
      const _id = newId(now);
      const secret = newSecret(SECRET_PREFIX);
      const document: Omit<SubscriptionDocument, 'slot'> = {
        _id,
        organizationId,
        clinicId: sent.clinicId,
        url: sent.url,
        events: sent.events,
        active: sent.active,
        activation: 1,
        secret: secrets.encrypt(secret, { collection: 'subscriptions', _id, field: 'secret' }),
        createdTime: now,
        lastEditTime: now,
        consecutiveFailures: 0,
      };
      for (const slot of await freeSlots(sent.clinicId)) {
        try {
          await collection.insertOne({ ...document, slot });
          return { ...toSubscription(document, null), secret };
        } catch (error) {
          if (!isDuplicateKey(error)) throw error;
        }
      }
      return undefined;
    },

    async update(id, { url, events, active }, now) {
      const current = await find(id);
      if (current === undefined) return undefined;
      const edited = {
        lastEditTime: new Date(nextEditTime(now, current.lastEditTime)),
        ...(url !== undefined && { url }),
        ...(events !== undefined && { events }),
      };
      if (active === true) {
        // Only what is disabled is enabled: a second caller does not start a third activation.
        await collection.updateOne(
          { _id: id, organizationId, active: false },
          {
            $set: { active: true, consecutiveFailures: 0 },
            $unset: { disabledTime: '', disabledReason: '' },
            $inc: { activation: 1 },
          },
        );
      } else if (active === false) {
        await collection.updateOne(
          { _id: id, organizationId, active: true },
          { $set: { active: false, disabledTime: now, disabledReason: 'Disabled by an operator.' } },
        );
      }
      await collection.updateOne({ _id: id, organizationId }, { $set: edited });
      return find(id);
    },

    async delete(id) {
      const current = await find(id);
      if (current === undefined) return undefined;
      const { deletedCount } = await collection.deleteOne({ _id: id, organizationId });
      return deletedCount === 1 ? current : undefined;
    },
  };
};

/** How the attempts of one subscription ended, since it was enabled for the nth time. */
export type Streak = {
  subscriptionId: string;
  activation: number;
  /** Failures after the last success. */
  failures: number;
  /** Whether there was a success before those failures. */
  succeeded: boolean;
  lastCauses: FailureCause[];
};

/** What the dispatcher does with the subscriptions of all organizations. */
export type Receivers = {
  /** The subscriptions of these clinics that existed at that time or later, with what decides whether an event goes there. */
  inClinics(
    clinics: readonly { organizationId: string; clinicId: string }[],
  ): Promise<
    Pick<SubscriptionDocument, '_id' | 'organizationId' | 'clinicId' | 'events' | 'active' | 'createdTime'>[]
  >;
  /** Those that still exist, by id. */
  find(ids: readonly string[]): Promise<Map<string, Receiver>>;
  /** Ends the streak of failures of those that succeeded. */
  clearStreaks(ids: readonly string[]): Promise<void>;
  /**
   * Adds to a streak, and disables the subscription when it is long enough: one atomic update.
   *
   * @returns whether this very call disabled it
   */
  addFailures(streak: Streak, now: Date): Promise<boolean>;
  /** Takes failures back that were none of the receiver's, and enables again whom they have disabled. */
  takeBackFailures(streak: Pick<Streak, 'subscriptionId' | 'activation' | 'failures'>): Promise<void>;
};

export const openReceivers = (collection: Collection<SubscriptionDocument>, secrets: Secrets): Receivers => {
  const opened = new Map<string, string>();
  const secretOf = ({ _id, secret }: Pick<SubscriptionDocument, '_id' | 'secret'>): string => {
    let clear = opened.get(secret);
    if (clear === undefined) {
      clear = secrets.decrypt(secret, { collection: 'subscriptions', _id, field: 'secret' });
      if (opened.size >= MAX_OPENED_SECRETS) opened.clear();
      opened.set(secret, clear);
    }
    return clear;
  };

  return {
    inClinics: (clinics) =>
      collection
        .find(
          {
            organizationId: { $in: [...new Set(clinics.map(({ organizationId }) => organizationId))] },
            clinicId: { $in: [...new Set(clinics.map(({ clinicId }) => clinicId))] },
          },
          { projection: { organizationId: 1, clinicId: 1, events: 1, active: 1, createdTime: 1 } },
        )
        .toArray(),

    async find(ids) {
      const documents = await collection
        .find(
          { _id: { $in: [...ids] } },
          { projection: { organizationId: 1, clinicId: 1, url: 1, active: 1, activation: 1, secret: 1 } },
        )
        .toArray();
      return new Map(
        documents.map((document) => [document._id, { ...document, secret: secretOf(document) }]),
      );
    },

    async clearStreaks(ids) {
      await collection.updateMany(
        { _id: { $in: [...ids] }, active: true, consecutiveFailures: { $gt: 0 } },
        { $set: { consecutiveFailures: 0 } },
      );
    },

    async addFailures({ subscriptionId, activation, failures, succeeded, lastCauses }, now) {
      const active: Filter<SubscriptionDocument> = { _id: subscriptionId, active: true, activation };
      const count = succeeded ? failures : { $add: ['$consecutiveFailures', failures] };
      const isLong = { $gte: ['$consecutiveFailures', MAX_CONSECUTIVE_FAILURES] };
      const reason = `Disabled after ${MAX_CONSECUTIVE_FAILURES} failed deliveries in a row; the last causes: ${lastCauses.join(', ')}.`;
      const result = await collection.findOneAndUpdate(
        active,
        [
          { $set: { consecutiveFailures: count } },
          {
            $set: {
              active: { $not: [isLong] },
              disabledTime: { $cond: [isLong, now, '$$REMOVE'] },
              disabledReason: { $cond: [isLong, { $literal: reason }, '$$REMOVE'] },
            },
          },
        ],
        { returnDocument: 'after', projection: { active: 1 } },
      );
      return result !== null && !result.active;
    },

    async takeBackFailures({ subscriptionId, activation, failures }) {
      const rest = { $max: [0, { $subtract: ['$consecutiveFailures', failures] }] };
      const wasLong = { $gte: ['$consecutiveFailures', MAX_CONSECUTIVE_FAILURES] };
      const isShort = { $lt: [rest, MAX_CONSECUTIVE_FAILURES] };
      // An operator who disables changes no count: only a streak that was long enough has done it by itself.
      const enables = { $and: [{ $not: ['$active'] }, wasLong, isShort] };
      await collection.updateOne({ _id: subscriptionId, activation }, [
        {
          $set: {
            active: { $or: ['$active', enables] },
            disabledTime: { $cond: [enables, '$$REMOVE', '$disabledTime'] },
            disabledReason: { $cond: [enables, '$$REMOVE', '$disabledReason'] },
            consecutiveFailures: rest,
          },
        },
      ]);
    },
  };
};

/** How many opened secrets are kept, so that each is decrypted once and not for each delivery. */
const MAX_OPENED_SECRETS = 10_000;
